/**
 * Which test files a run takes. `npm test` runs every file that is not marked `Thorough:`, and
 * `npm run test:thorough` what that leaves out: the marked files, and samples in full.
 */
import { importsIn } from './layers.ts';
import { isTest, type Tree } from './tree.ts';

type TestFiles = {
  readonly withoutDatabase: readonly string[];
  readonly withDatabase: readonly string[];
  readonly needPostgres: boolean;
  readonly needBrowser: boolean;
};

type TestFilesOptions = {
  /** Takes only files whose path contains one of these, whatever their suite. */
  readonly words?: readonly string[];
  readonly isThorough?: boolean;
};

const database = 'proof/kit/scratch-database.ts';
const server = 'proof/kit/postgres.ts';
const browser = 'proof/kit/browser.ts';
/** Stands in the header comment of a test file, followed by the reason. */
const thoroughMarker = /^(?:\/\/| \*|\/\*\*) Thorough: \S/m;
/** A file that reads this runs a sample in `npm test`, and everything in the thorough run. */
const sampleSwitch = 'VIDGEN_TEST_THOROUGH';
/** Runs a sample of what the variants of an adapter share. */
const conformance = 'proof/kit/conformance.ts';

export function testFiles(tree: Tree, options: TestFilesOptions = {}): TestFiles {
  const { words = [], isThorough = false } = options;
  const reached = reachable(tree);
  const uses = (file: string, target: string) => reached(file).has(target);
  const has = (file: string, mark: RegExp | string) => (tree.get(file) ?? '').match(mark) !== null;
  const isChosen = (file: string) => {
    if (words.length > 0) return words.some((word) => file.includes(word));
    const isMarked = has(file, thoroughMarker);
    if (!isThorough) return !isMarked;
    return isMarked || has(file, sampleSwitch) || uses(file, conformance);
  };
  const files = [...tree.keys()].filter(isTest).filter(isChosen);
  return {
    withoutDatabase: files.filter((file) => !uses(file, database)),
    withDatabase: files.filter((file) => uses(file, database)),
    needPostgres: files.some((file) => uses(file, server)),
    needBrowser: files.some((file) => uses(file, browser)),
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
