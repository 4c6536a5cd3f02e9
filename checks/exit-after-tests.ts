/**
 * Loaded into the process of every test file: ends it when its tests are over and something they
 * left open would keep it. Node's own `forceExit` does not wait until all results have been handed
 * over, and so loses some without a word (nodejs/node#64833).
 */
import { isMainThread } from 'node:worker_threads';

/** From the last test to the end of a process that does not end by itself. */
const leftOpenMs = 3_000;

// Threads and forks of a test file are started with its flags, and have no tests of their own.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test');
  after(() => void setTimeout(() => process.exit(), leftOpenMs).unref());
}
