/**
 * Loaded into the process of every test file: ends the process when its tests are done and an open
 * handle would keep it alive. Node's own `forceExit` does not wait until all results are delivered
 * and loses some (nodejs/node#64833).
 */
import { isMainThread } from 'node:worker_threads';

/** Results may still be on their way on a busy machine: ends when none was written for so long. */
const silentMs = 3_000;

// Threads and forks of a test file inherit its flags but have no tests.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test');
  after(exitWhenSilent);
}

/** To be called when the last test is done. A group does so itself: it gets no hook of its own. */
export function exitWhenSilent(): void {
  let bytesBefore = -1;
  setInterval(() => {
    // A pipe to the runner, which counts what it has written.
    const { bytesWritten } = process.stdout as typeof process.stdout & { bytesWritten: number };
    if (bytesWritten === bytesBefore) process.exit();
    bytesBefore = bytesWritten;
  }, silentMs).unref();
}
