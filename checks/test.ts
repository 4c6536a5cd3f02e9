/**
 * `npm test` and `npm run test:thorough` (`--thorough`): run the test files that test-files.ts
 * chooses, with the databases they need. The last line counts the tests. Words choose files by
 * their path: `npm test -- queue home`. `npm run test:watch` (`--watch`) runs files on PostgreSQL
 * only, again whenever a source of theirs changes.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installBrowser } from '../proof/kit/browser.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { runFiles, type TestRunResult } from './run-files.ts';
import { prepareDump, preparePostgres } from './test-databases.ts';
import { testFiles } from './test-files.ts';
import { readTree, root } from './tree.ts';

/** Time for the processes of stopped tests to end before their database server is stopped. */
const stopMs = 500;

type Engine = 'embedded' | 'postgres';

/**
 * The embedded engine is compiled for every file, and an optimized build costs more than it saves.
 * Service processes that tests start run it as in production.
 */
const flags: Readonly<Record<Engine, readonly string[]>> = {
  embedded: ['--liftoff-only'],
  postgres: [],
};
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isThorough = process.argv.includes('--thorough');
const watch = process.argv.includes('--watch');

/** How many of the slowest files the last lines name; all are in the file of times. */
const slowestShown = 10;
const timesFile = join(root, 'node_modules/.cache/vidgen/test-times.json');

const total: TestRunResult = { passed: 0, failed: 0, skipped: 0, failures: [], seconds: [] };
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
// Hundreds of processes load the same modules; the cache halves their start time.
process.env.NODE_COMPILE_CACHE = join(temporary, 'vidgen-compiled');

if (isThorough) process.env.VIDGEN_TEST_THOROUGH = '1';
const files = testFiles(readTree(), { words, isThorough });
let version = '';
try {
  if (files.needBrowser) installBrowser();
  if (files.needPostgres) ({ version, stop: stopServer } = await preparePostgres());
  if (watch) {
    await runFilesOn([...files.withoutDatabase, ...files.onPostgres], 'until Ctrl-C', 'postgres');
  } else {
    if (files.onEmbedded.length > 0) await prepareDump();
    await runFilesOn(files.withoutDatabase, 'without a database of their own');
    await runFilesOn(files.onEmbedded, 'on the embedded engine', 'embedded');
    await runFilesOn(files.onPostgres, `on PostgreSQL ${version}`, 'postgres');
  }
} catch (error) {
  total.failed++;
  total.failures.push((error as Error).message);
}
// After a stop, `leave` ends the process when everything is cleaned up.
if (!stopped.signal.aborted) await finish();

async function runFilesOn(files: readonly string[], where: string, engine?: Engine): Promise<void> {
  if (files.length === 0 || stopped.signal.aborted) return;
  process.stdout.write(`\n${files.length} test file${files.length > 1 ? 's' : ''} ${where}\n\n`);
  if (engine) process.env.VIDGEN_TEST_ENGINE = engine;
  const paths = files.map((file) => join(root, file));
  const { passed, failed, skipped, failures, seconds } = await runFiles(paths, {
    signal: stopped.signal,
    watch,
    ...(engine ? { flags: flags[engine] } : {}),
  });
  const withEngine = (text: string) => (engine ? `${engine}: ${text}` : text);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.failures.push(...failures.map(withEngine));
  total.seconds.push(...seconds.map((one) => ({ ...one, file: withEngine(one.file) })));
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

async function finish(): Promise<void> {
  await cleanUp();
  const { passed, failed, skipped, failures } = total;
  const print = (text: string) => process.stdout.write(`\n${text}\n`);
  const times = total.seconds.sort((a, b) => b.seconds - a.seconds);
  mkdirSync(dirname(timesFile), { recursive: true });
  writeFileSync(timesFile, `${JSON.stringify(times, null, 1)}\n`);
  const slowest = times.slice(0, slowestShown);
  if (slowest.length > 1) {
    const lines = slowest.map(
      ({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`,
    );
    print(`The slowest files:\n${lines.join('\n')}`);
  }
  if (failures.length > 0) print(failures.map((failure) => `✖ ${failure}`).join('\n'));
  if (passed + failed + skipped === 0) print('No test file has one of these words in its path.');
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
