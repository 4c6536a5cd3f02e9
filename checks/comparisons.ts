/**
 * Secrets are never compared with `===`, whose timing reveals how much of a guess is right. They
 * are looked up by digest or compared with `timingSafeEqual`.
 */
import { readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

/** Both operands, as far as they are names; a literal or a bracket yields an empty match. */
const comparison = /(typeof )?\b([\w$.?!#]*)(?:\(\))?\s*[!=]==?\s*([\w$.?!#]*)/g;
const secret = /(?:signature|token|secret|password|apikey|cookie)!?$/i;
/** Comparing with one of these asks whether a secret exists, not what it is. */
const nothing = /^(?:|null|undefined|\d+)$/;

export function comparisonProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => path.startsWith('server/') && !isTestCode(path))
    .filter(([, text]) => linesComparing(text).length > 0)
    .flatMap(([path, text]) =>
      linesComparing(readSource(text).code).map((line) =>
        formatProblem(path, line, 'compares a secret by its text: use timingSafeEqual on digests'),
      ),
    );
}

function linesComparing(code: string): number[] {
  return [...code.matchAll(comparison)]
    .filter(([, question, left = '', right = '']) => {
      const isPresenceCheck = question !== undefined || nothing.test(left) || nothing.test(right);
      return !isPresenceCheck && (secret.test(left) || secret.test(right));
    })
    .map(({ index }) => code.slice(0, index).split('\n').length);
}
