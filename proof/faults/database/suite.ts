/**
 * Every test file with a database, on the PostgreSQL that VIDGEN_TEST_DATABASE_URL names, behind a
 * pooler in transaction mode. Words choose files by their path. The last line of the output is what
 * came of it, as JSON.
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

/** What such a pooler cannot pass on, or what would not be another than without it. */
const excluded: readonly RegExp[] = [
  // That a notification arrives is what they test; without it, others look by themselves.
  /^server\/accounts\/(api-key|key-cache)\.test\.ts$/,
  // Browsers; and servers of their own, which are not behind this pooler.
  /^server\/journeys\/(browser|dashboard).*\.test\.ts$/,
  /^server\/faults\//,
];

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const stopped = new AbortController();
  // Whoever started us is gone, or has had enough.
  process.on('disconnect', () => stopped.abort());
  process.on('SIGTERM', () => stopped.abort());

  const { onPostgres } = testFiles(readTree(), { words: args });
  process.env.VIDGEN_TEST_ENGINE = 'postgres';
  const { stop } = await preparePostgres();
  const files = onPostgres.filter((file) => !excluded.some((pattern) => pattern.test(file)));
  const paths = files.map((file) => join(root, file));
  const result = await runFiles(paths, { signal: stopped.signal });
  await stop();
  const { passed, failed, skipped, failures } = result;
  const summary: SuiteResult = { files: files.length, passed, failed, skipped, failures };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exit();
}
