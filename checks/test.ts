/**
 * `npm test`: every check and test of the project, those with a database on both engines. The last
 * line counts them. Words choose files by their path: `npm test -- queue home`.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { deleteFolder, makeTemporaryFolder } from '../server/testing/temporary-folder.ts';
import { type Outcome, runFiles } from './run-files.ts';
import { prepareDump, preparePostgres } from './test-databases.ts';
import { testFiles } from './test-files.ts';
import { readTree, root } from './tree.ts';

/** What the processes of stopped tests get to end, before the server they use is taken away. */
const stopMs = 500;

type Engine = 'embedded' | 'postgres';

const total: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [] };
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

const { once, onBothEngines, needPostgres } = testFiles(readTree(), process.argv.slice(2));
let version = '';
try {
  if (needPostgres) ({ version, stop: stopServer } = await preparePostgres());
  if (onBothEngines.length > 0) await prepareDump();
  await part(once, 'without a database of their own');
  await part(onBothEngines, 'on the embedded engine', 'embedded');
  await part(onBothEngines, `on PostgreSQL ${version}`, 'postgres');
} catch (error) {
  total.failed++;
  total.failures.push((error as Error).message);
}
// Stopped on request: `leave` ends the process when everything is put away.
if (!stopped.signal.aborted) await finish();

async function part(files: readonly string[], where: string, engine?: Engine): Promise<void> {
  if (files.length === 0 || stopped.signal.aborted) return;
  process.stdout.write(`\n${files.length} test file${files.length > 1 ? 's' : ''} ${where}\n\n`);
  if (engine) process.env.VIDGEN_TEST_ENGINE = engine;
  const paths = files.map((file) => join(root, file));
  const { passed, failed, skipped, failures } = await runFiles(paths, stopped.signal);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.failures.push(...failures.map((failure) => (engine ? `${engine}: ${failure}` : failure)));
}

/** Ends the processes of the test files, and with them the services and browsers they started. */
function leave(): void {
  if (stopped.signal.aborted) return;
  stopped.abort();
  setTimeout(() => void putAway().finally(() => process.exit(130)), stopMs);
}

async function putAway(): Promise<void> {
  await stopServer();
  deleteFolder(temporary);
}

async function finish(): Promise<void> {
  await putAway();
  const { passed, failed, skipped, failures } = total;
  const say = (text: string) => process.stdout.write(`\n${text}\n`);
  if (failures.length > 0) say(failures.map((failure) => `✖ ${failure}`).join('\n'));
  if (passed + failed + skipped === 0) say('No test file has one of these words in its path.');
  say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
