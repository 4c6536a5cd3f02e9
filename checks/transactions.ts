/**
 * What commits together is decided where the story is told: only the lifecycle and the floors above
 * it open transactions. A room's function that writes joins the one it is handed.
 */
import { linesMatching, readSource } from './source.ts';
import { complaint, isBackstage, programs, type Tree } from './tree.ts';

const openers = /^server\/((lifecycle|api|worker|database)\/|(assemble|first-start)\.ts$)/;

export function transactionProblems(tree: Tree): string[] {
  return programs(tree)
    .filter(([path]) => !isBackstage(path) && !openers.test(path))
    .flatMap(([path, text]) =>
      linesMatching(readSource(text), /\.transaction\s*[(<]/g).map((line) =>
        complaint(path, line, 'opens a transaction: take `tx` and let the lifecycle open it'),
      ),
    );
}
