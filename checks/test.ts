/**
 * `npm test` and `npm run test:thorough` (`--thorough`): run the test files that test-files.ts
 * chooses, on one PostgreSQL server. The last line counts the tests. Words choose files by their
 * path: `npm test -- queue home`. `npm run test:watch` (`--watch`) runs a file again whenever a
 * source of it changes.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { installBrowser } from '../proof/kit/browser.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { runFiles, type TestRunResult } from './run-files.ts';
import { preparePostgres } from './test-databases.ts';
import { testFiles } from './test-files.ts';
import { groupTestFiles } from './test-groups.ts';
import { readTree, root } from './tree.ts';

/** Time for the processes of stopped tests to end before their database server is stopped. */
const stopMs = 500;

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isThorough = process.argv.includes('--thorough');
const watch = process.argv.includes('--watch');

/**
 * Files per process; fewer where files take longer, so that all cores are busy to the end. Those of
 * the thorough run take minutes each.
 */
const databaseGroupMax = 20;
const plainGroupMax = 30;

/** How many of the slowest files the last lines name. */
const slowestShown = 10;

const stopped = new AbortController();
const temporary = makeTemporaryFolder('tests');
let stopServer = async (): Promise<void> => {};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
process.on('message', leave);
process.on('disconnect', leave);

// The result must not depend on settings of the service in this shell.
for (const name of Object.keys(process.env)) {
  if (/^(VIDGEN_(?!TEST_)|HOST$|PORT$)/.test(name)) delete process.env[name];
}

// Files left by tests are deleted with this folder. Readable by all, because PostgreSQL runs as
// another user when the tests run as root.
chmodSync(temporary, 0o755);
process.env.TMPDIR = temporary;

if (isThorough) process.env.VIDGEN_TEST_THOROUGH = '1';
const nothing: TestRunResult = {
  passed: 0,
  failed: 0,
  skipped: 0,
  failures: [],
  files: [],
  unstable: [],
};
const result = await runChosen().catch(({ message }: Error) => {
  return { ...nothing, failed: 1, failures: [message] };
});
// After a stop, `leave` ends the process when everything is cleaned up.
if (!stopped.signal.aborted) await finish(result);

async function runChosen(): Promise<TestRunResult> {
  const tree = readTree();
  const files = testFiles(tree, { words, isThorough });
  let where = '';
  if (files.needBrowser) installBrowser();
  if (files.needPostgres) {
    const { version, stop } = await preparePostgres({ canMigrationsChange: watch });
    stopServer = stop;
    where = ` on PostgreSQL ${version}`;
  }
  const { withoutDatabase, withDatabase } = files;
  const groups = watch
    ? [...withoutDatabase, ...withDatabase].map((file) => [file])
    : [
        ...groupTestFiles(tree, withDatabase, { filesMax: isThorough ? 1 : databaseGroupMax }),
        ...groupTestFiles(tree, withoutDatabase, { filesMax: plainGroupMax }),
      ];
  // Groups take longest. What runs last is short, so that all cores are busy to the end.
  const isShared = (files: readonly string[]) => files.length > 1;
  const longestFirst = groups.toSorted((a, b) => Number(isShared(b)) - Number(isShared(a)));
  const paths = longestFirst.map(entryOf);
  if (paths.length === 0 || stopped.signal.aborted) return nothing;
  const fileCount = withoutDatabase.length + withDatabase.length;
  const count = `${fileCount} test file${fileCount === 1 ? '' : 's'}`;
  process.stdout.write(`\n${count}${where}${watch ? ', until Ctrl-C' : ''}\n\n`);
  return await runFiles(paths, { signal: stopped.signal, watch });
}

/** The file that a process runs: the only one of a group, or one that runs them all. */
function entryOf(files: readonly string[]): string {
  const [first, ...others] = files.map((file) => join(root, file));
  if (others.length === 0) return first!;
  const slug = files[0]!.replaceAll('/', '-').replace('.test.ts', '');
  const name = `${slug}-and-${others.length}-more`;
  const entry = join(temporary, `${name}.ts`);
  const groupsModule = JSON.stringify(import.meta.resolve('./test-groups.ts'));
  const list = JSON.stringify([first, ...others]);
  writeFileSync(entry, `import { runGroup } from ${groupsModule};\nawait runGroup(${list});\n`);
  return entry;
}

/** Stops the test processes, and with them the services and browsers they started. */
function leave(): void {
  if (stopped.signal.aborted) return;
  stopped.abort();
  setTimeout(() => void cleanUp().finally(() => process.exit(130)), stopMs);
}

async function cleanUp(): Promise<void> {
  await stopServer();
  deleteFolder(temporary);
}

async function finish(result: TestRunResult): Promise<void> {
  await cleanUp();
  const { passed, failed, skipped, failures, unstable } = result;
  const print = (text: string) => process.stdout.write(`\n${text}\n`);
  const times = result.files.toSorted((a, b) => b.seconds - a.seconds);
  const slowest = times.slice(0, slowestShown);
  if (slowest.length > 1) {
    const lines = slowest.map(
      ({ file, seconds }) =>
        `${seconds.toFixed(1).padStart(7)} s  ${file.startsWith('..') ? basename(file) : file}`,
    );
    print(`The slowest files:\n${lines.join('\n')}`);
  }
  const unstableLines = unstable.map((name) => `! ${name}`).join('\n');
  if (unstable.length > 0) print(`Failed beside other files, and passed alone:\n${unstableLines}`);
  if (failures.length > 0) print(failures.map((failure) => `✖ ${failure}`).join('\n'));
  if (passed + failed + skipped === 0) print('No test file has one of these words in its path.');
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
