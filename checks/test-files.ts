/**
 * Which test files a run takes, and on which engine. `npm test` runs every file once, those with a
 * database on PostgreSQL, and the modules that consist of SQL on the embedded engine as well.
 * `npm run test:thorough` runs what that leaves out: files marked `Thorough:`, samples in full, and
 * every other file with a database on the embedded engine.
 */
import { importsIn } from './layers.ts';
import { isTest, type Tree } from './tree.ts';

export type TestFiles = {
  readonly withoutDatabase: readonly string[];
  readonly onEmbedded: readonly string[];
  readonly onPostgres: readonly string[];
  /** Whether a file connects to a PostgreSQL server. */
  readonly needPostgres: boolean;
  /** Whether a file drives a browser. */
  readonly needBrowser: boolean;
};

export type TestFilesOptions = {
  /** Takes only files whose path contains one of these, whatever their suite. */
  readonly words?: readonly string[];
  readonly isThorough?: boolean;
};

const databases = ['proof/kit/scratch-database.ts', 'proof/kit/service.ts'];
const server = 'proof/kit/postgres.ts';
const browser = 'proof/kit/browser.ts';
/** Their tests are tests of SQL, so `npm test` runs them on both engines. */
const sqlModules = /^server\/(accounts|database|ledger|lifecycle|queue|rate-limits|tasks)\//;
/** Markers in the header comment of a test file, each followed by the reason. */
const thoroughMarker = /^(?:\/\/| \*|\/\*\*) Thorough: \S/m;
const oneEngineMarker = /^(?:\/\/| \*) One engine: \S/m;
/** A file that reads this runs a sample in `npm test`, and everything in the thorough run. */
const sampleSwitch = 'VIDGEN_TEST_THOROUGH';

export function testFiles(tree: Tree, options: TestFilesOptions = {}): TestFiles {
  const { words = [], isThorough = false } = options;
  const reached = reachable(tree);
  const uses = (file: string, target: string) => reached(file).has(target);
  const has = (file: string, mark: RegExp | string) => (tree.get(file) ?? '').match(mark) !== null;
  const isChosen = (file: string) =>
    words.length > 0
      ? words.some((word) => file.includes(word))
      : isThorough || !has(file, thoroughMarker);
  const files = [...tree.keys()].filter(isTest).filter(isChosen);
  const usesDatabase = (file: string) => databases.some((target) => uses(file, target));
  const isNew = (file: string) =>
    !isThorough || words.length > 0 || has(file, thoroughMarker) || has(file, sampleSwitch);
  const isOnEmbedded = (file: string) =>
    !has(file, oneEngineMarker) &&
    !has(file, thoroughMarker) &&
    sqlModules.test(file) !== isThorough;
  const withDatabase = files.filter(usesDatabase);
  const chosen = {
    withoutDatabase: files.filter((file) => !usesDatabase(file) && isNew(file)),
    onEmbedded: withDatabase.filter(isOnEmbedded),
    onPostgres: withDatabase.filter(isNew),
  };
  const all = [...new Set(Object.values(chosen).flat())];
  return {
    ...chosen,
    needPostgres: all.some((file) => uses(file, server)),
    needBrowser: all.some((file) => uses(file, browser)),
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
