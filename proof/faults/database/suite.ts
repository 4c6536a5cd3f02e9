/**
 * Runs every test file with a database on the PostgreSQL that VIDGEN_TEST_DATABASE_URL names,
 * behind a pooler in transaction mode. The last line of the output is the result as JSON.
 */
import { join } from 'node:path';
import { runFiles } from '../../../checks/run-files.ts';
import { preparePostgres } from '../../../checks/test-databases.ts';
import { testFiles } from '../../../checks/test-files.ts';
import { readTree, root } from '../../../checks/tree.ts';

export type SuiteResult = {
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
};

/** Tests that cannot work behind the pooler, or that do not go through it. */
const excluded: readonly RegExp[] = [
  // They test that notifications arrive, which transaction mode does not support.
  /^server\/accounts\/(api-key|key-cache)\.test\.ts$/,
  // It tests settings of connections, which the pooler does not accept.
  /^server\/database\/session-settings\.test\.ts$/,
  // Browsers, and tests with database servers of their own.
  /^proof\/journeys\/(browser|dashboard).*\.test\.ts$/,
  /^proof\/faults\//,
];

if (import.meta.main) await main();

async function main(): Promise<void> {
  const stopped = new AbortController();
  process.on('disconnect', () => stopped.abort());
  process.on('SIGTERM', () => stopped.abort());

  const { withDatabase } = testFiles(readTree());
  const { stop } = await preparePostgres();
  const files = withDatabase.filter((file) => !excluded.some((pattern) => pattern.test(file)));
  const paths = files.map((file) => join(root, file));
  const result = await runFiles(paths, { signal: stopped.signal });
  await stop();
  const { passed, failed, skipped, failures } = result;
  const summary: SuiteResult = { files: files.length, passed, failed, skipped, failures };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exit();
}
