/**
 * What is secret is never compared by `===`, whose time tells how much of a guess was right: it is
 * looked up by its digest, or compared by `timingSafeEqual`.
 */
import { readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

/** Both sides, each as far as it is a name; a text or a bracket beside it is none. */
const comparison = /(typeof )?\b([\w$.?!#]*)(?:\(\))?\s*[!=]==?\s*([\w$.?!#]*)/g;
const secret = /(?:signature|token|secret|password|apikey|cookie)!?$/i;
/** Then it is asked what it is, or whether it is there. */
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
