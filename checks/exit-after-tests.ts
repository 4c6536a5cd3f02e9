/**
 * Loaded into the process of every test file: ends the process when its tests are done and an open
 * handle would keep it alive. Node's own `forceExit` does not wait until all results are delivered
 * and loses some (nodejs/node#64833).
 */
import { isMainThread } from 'node:worker_threads';

/** Time between the last test and the forced end of the process. */
const leftOpenMs = 3_000;

// Threads and forks of a test file inherit its flags but have no tests.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test');
  after(() => void setTimeout(() => process.exit(), leftOpenMs).unref());
}
