/**
 * Only the lifecycle and the layers above it open transactions, because they decide what commits
 * together. A function of a module that writes takes the caller's transaction.
 */
import { linesMatching, readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

const openers = /^server\/((lifecycle|api|worker|database)\/|(compose|bootstrap)\.ts$)/;

export function transactionProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => !isTestCode(path) && !openers.test(path))
    .flatMap(([path, text]) =>
      linesMatching(readSource(text), /\.transaction\s*[(<]/g).map((line) =>
        formatProblem(path, line, 'opens a transaction: take `tx` and let the lifecycle open it'),
      ),
    );
}
