/**
 * Which test files there are, and which of them must pass on both engines: those that open a
 * database by `scratch-database.ts` or a service by `service.ts`, also through what they use,
 * unless they say why one engine is enough.
 */
import { importsIn } from './layers.ts';
import { isTest, type Tree } from './tree.ts';

export type TestFiles = {
  /** Files that have nothing to do with a database of their own. */
  readonly once: readonly string[];
  /** Files that are run on the embedded engine and again on PostgreSQL. */
  readonly onBothEngines: readonly string[];
  /** Files whose subject lies elsewhere: only a thorough run takes both engines for them. */
  readonly onOneEngine: readonly string[];
  /** Whether one of them looks for a PostgreSQL server. */
  readonly needPostgres: boolean;
  /** Whether one of them drives a browser. */
  readonly needBrowser: boolean;
};

const databases = ['proof/kit/scratch-database.ts', 'proof/kit/service.ts'];
const server = 'proof/kit/postgres.ts';
const browser = 'proof/kit/browser.ts';
/** In a comment, with the reason after it. */
const oneEngine = /^(?:\/\/| \*) One engine: \S/m;

/** All test files, or those whose path contains one of the words. */
export function testFiles(tree: Tree, filters: readonly string[] = []): TestFiles {
  const reached = reachable(tree);
  const files = [...tree.keys()]
    .filter(isTest)
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)));
  const reaches = (file: string, target: string) => reached(file).has(target);
  const onEngines = files.filter((file) => databases.some((target) => reaches(file, target)));
  const isOneEnough = (file: string) => oneEngine.test(tree.get(file) ?? '');
  return {
    once: files.filter((file) => !onEngines.includes(file)),
    onBothEngines: onEngines.filter((file) => !isOneEnough(file)),
    onOneEngine: onEngines.filter(isOneEnough),
    needPostgres: onEngines.length > 0 || files.some((file) => reaches(file, server)),
    needBrowser: files.some((file) => reaches(file, browser)),
  };
}

function reachable(tree: Tree): (file: string) => ReadonlySet<string> {
  const next = Map.groupBy(importsIn(tree), ({ from }) => from);
  return (file) => {
    const seen = new Set<string>();
    const walk = (from: string) => {
      if (seen.has(from)) return;
      seen.add(from);
      for (const { to } of next.get(from) ?? []) walk(to);
    };
    walk(file);
    return seen;
  };
}
