/**
 * Before a stop: takes the connections that wait in the system's queue. Node takes one a turn of
 * its loop, so that a busy process has many there, some for seconds; whoever stops listening with
 * them in the queue resets them all, and a proxy may not send a POST again after that.
 */
import type { Server } from 'node:http';
import { elapsedMs, sleep } from '../clock.ts';

/** New ones may come faster than they are taken: a stop waits no longer than this for a gap. */
const msMax = 5000;
/** A timer may fire before the queue was looked at again; the one after it does not. */
const quietRounds = 2;

export async function acceptWaiting(server: Server): Promise<void> {
  const fromMs = elapsedMs();
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  try {
    for (let quiet = 0; quiet < quietRounds && elapsedMs() - fromMs < msMax; ) {
      const before = taken;
      await sleep(1);
      quiet = taken === before ? quiet + 1 : 0;
    }
  } finally {
    server.off('connection', count);
  }
}
