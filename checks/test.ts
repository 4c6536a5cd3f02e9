/**
 * `npm test`: every check and test of the project, those with a database on both engines. The last
 * line counts them. Words choose files by their path: `npm test -- queue home`. With `--watch`
 * (`npm run test:watch`) files run on PostgreSQL only, again whenever a source of theirs changes.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { installBrowser } from '../proof/kit/browser.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { runFiles, type TestRunResult } from './run-files.ts';
import { prepareDump, preparePostgres } from './test-databases.ts';
import { testFiles } from './test-files.ts';
import { readTree, root } from './tree.ts';

/** What the processes of stopped tests get to end, before the server they use is taken away. */
const stopMs = 500;

type Engine = 'embedded' | 'postgres';

/**
 * The embedded engine is compiled anew for every file. To do it well costs more than it brings to
 * tests; the processes that tests start, such as those of `faults/`, have it as in production.
 */
const flags: Readonly<Record<Engine, readonly string[]>> = {
  embedded: ['--liftoff-only'],
  postgres: [],
};
const isThorough = process.env.VIDGEN_TEST_THOROUGH === '1';

/** What the last lines name, for whoever wants the run to be shorter. */
const slowestShown = 10;

const total: TestRunResult = { passed: 0, failed: 0, skipped: 0, failures: [], seconds: [] };
const stopped = new AbortController();
const temporary = makeTemporaryFolder('tests');
let stopServer = async (): Promise<void> => {};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
process.on('message', leave);
process.on('disconnect', leave);

// The outcome must not depend on how the service is configured in this shell.
for (const name of Object.keys(process.env)) {
  if (/^(VIDGEN_(?!TEST_)|HOST$|PORT$)/.test(name)) delete process.env[name];
}

// What a test leaves behind goes with the run. Open, since as root PostgreSQL is another user.
chmodSync(temporary, 0o755);
process.env.TMPDIR = temporary;
// Hundreds of processes load the same modules: half of what starting one costs.
process.env.NODE_COMPILE_CACHE = join(temporary, 'vidgen-compiled');

const watch = process.argv.includes('--watch');
const filters = process.argv.slice(2).filter((argument) => argument !== '--watch');
const files = testFiles(readTree(), filters);
const { once, onBothEngines, onOneEngine, needPostgres, needBrowser } = files;
const onEmbedded = isThorough ? [...onBothEngines, ...onOneEngine] : onBothEngines;
let version = '';
try {
  if (needBrowser) installBrowser();
  if (needPostgres) ({ version, stop: stopServer } = await preparePostgres());
  if (watch) {
    await runFilesOn([...once, ...onOneEngine, ...onBothEngines], 'until Ctrl-C', 'postgres');
  }
  if (onEmbedded.length > 0) await prepareDump();
  await runFilesOn(once, 'without a database of their own');
  await runFilesOn(onEmbedded, 'on the embedded engine', 'embedded');
  // The longest of all are among these: they must not be the last to begin.
  await runFilesOn([...onOneEngine, ...onBothEngines], `on PostgreSQL ${version}`, 'postgres');
} catch (error) {
  total.failed++;
  total.failures.push((error as Error).message);
}
// Stopped on request: `leave` ends the process when everything is put away.
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

/** Ends the processes of the test files, and with them the services and browsers they started. */
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
  const slowest = total.seconds.sort((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
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
