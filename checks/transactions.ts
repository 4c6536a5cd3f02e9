/**
 * Only the lifecycle and the layers above it open transactions, because they decide what commits
 * together. A function of a module that writes takes the caller's transaction.
 */
import { linesMatching, readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

const openers = /^server\/((lifecycle|api|worker|database)\/|(compose|maintenance|bootstrap)\.ts$)/;

/** Endpoints act in `request.transaction`, which judges the caller's right in the same commit. */
const endpoints = /^server\/api\/(v1|admin|people)\//;
/** Files whose own transactions rest on no right of the caller: a password, a link, a payment. */
const withoutRight = [
  'server/api/admin/open-checkout.ts',
  'server/api/people/authenticate-code.ts',
  'server/api/people/authenticate-password.ts',
  'server/api/people/enter-code.ts',
  'server/api/people/forgot-password.ts',
  'server/api/people/openid-callback.ts',
  'server/api/people/sign-in.ts',
  'server/api/people/use-link.ts',
];

export function transactionProblems(tree: Tree): string[] {
  return [...openerProblems(tree), ...rightProblems(tree)];
}

function rightProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => endpoints.test(path) && !isTestCode(path) && !withoutRight.includes(path))
    .flatMap(([path, text]) =>
      linesMatching(readSource(text), /\bdb\.transaction\s*[(<]/g).map((line) =>
        formatProblem(path, line, 'judges no right in its transaction: use `request.transaction`'),
      ),
    );
}

function openerProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => !isTestCode(path) && !openers.test(path))
    .flatMap(([path, text]) =>
      linesMatching(readSource(text), /\.transaction\s*[(<]/g).map((line) =>
        formatProblem(path, line, 'opens a transaction: take `tx` and let the lifecycle open it'),
      ),
    );
}
