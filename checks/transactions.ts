/**
 * What commits together is decided where the story is told: only the lifecycle and the floors above
 * it open transactions. A room's function that writes joins the one it is handed.
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
