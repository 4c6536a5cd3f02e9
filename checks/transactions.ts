/**
 * Only the lifecycle and the layers above it open transactions, because they decide what commits
 * together. A function of a module that writes takes the caller's transaction, and a function with
 * a transaction uses no other connection: it would not see its own writes, and could wait for
 * itself when all connections are taken.
 */
import { lineAt, linesMatching, readSource } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

const openers = /^server\/((lifecycle|api|worker|database|start)\/|compose\.ts$)/;

/** Endpoints act in `request.transaction`, which judges the caller's right in the same commit. */
const endpoints = /^server\/api\/(v1|accounts|credits|installation|people|providers|tasks)\//;
/** Files whose own transactions rest on no right of the caller: a password, a link, a payment. */
const withoutRight = [
  'server/api/credits/stripe-events.ts',
  'server/api/credits/top-ups.ts',
  'server/api/people/links.ts',
  'server/api/people/openid-callback.ts',
  'server/api/people/second-step.ts',
  'server/api/people/sign-in.ts',
];

export function transactionProblems(tree: Tree): string[] {
  return [...openerProblems(tree), ...rightProblems(tree), ...poolProblems(tree)];
}

/** Functions whose first parameter is `tx`, up to the brace that opens their body. */
const takesTransaction = /\(\s*tx\b(?=([^()]|\([^()]*\))*\)(?:\s*:[^{;=]+)?\s*(?:=>\s*)?\{)/g;
const pool = /(?:\bdb|#db)\b(?!\s*:)/g;
/** Migrations build indexes beside their transaction. */
const besideTransaction = ['server/database/migrate.ts'];

function poolProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => path.startsWith('server/') && !isTestCode(path))
    .filter(([path]) => !besideTransaction.includes(path))
    .filter(([, text]) => text.search(takesTransaction) >= 0)
    .flatMap(([path, text]) => {
      const { code } = readSource(text);
      const bodies = [...code.matchAll(takesTransaction)].map(({ index }) =>
        bodyAfter(code, index),
      );
      const lines = bodies.flatMap(({ from, body }) =>
        [...body.matchAll(pool)].map(({ index }) => lineAt(code.slice(0, from + index))),
      );
      return [...new Set(lines)].map((line) =>
        formatProblem(path, line, 'uses another connection than its transaction: use `tx`'),
      );
    });
}

/** The body of the function whose parameters begin there. */
function bodyAfter(code: string, at: number): { readonly from: number; readonly body: string } {
  let end = at;
  const skip = (open: string, close: string) => {
    for (let depth = 0; end < code.length; end++) {
      if (code[end] === open) depth += 1;
      if (code[end] === close) depth -= 1;
      if (depth === 0) return;
    }
  };
  skip('(', ')');
  const from = code.indexOf('{', end);
  end = from;
  skip('{', '}');
  return { from, body: code.slice(from, end) };
}

function rightProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => endpoints.test(path) && !isTestCode(path) && !withoutRight.includes(path))
    .flatMap(([path, text]) =>
      linesMatching(text, /\bdb\.transaction\s*[(<]/g).map((line) =>
        formatProblem(path, line, 'judges no right in its transaction: use `request.transaction`'),
      ),
    );
}

function openerProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => !isTestCode(path) && !openers.test(path))
    .flatMap(([path, text]) =>
      linesMatching(text, /\.transaction\s*[(<]/g).map((line) =>
        formatProblem(path, line, 'opens a transaction: take `tx` and let the lifecycle open it'),
      ),
    );
}
