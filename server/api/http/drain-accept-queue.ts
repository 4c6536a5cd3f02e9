/**
 * Before a stop: takes the connections that wait in the system's queue. Node takes one a turn of
 * its loop, so that a busy process has many there, some for seconds; whoever stops listening with
 * them in the queue resets them all, and a proxy may not send a POST again after that.
 */
import type { Server } from 'node:http';
import { monotonicMs, sleep } from '../../clock.ts';

/** New ones may come faster than they are taken: a stop waits no longer than this for a gap. */
const msMax = 5000;
/** A timer may fire before the queue was looked at again; the one after it does not. */
const quietRounds = 2;

export async function drainAcceptQueue(server: Server): Promise<void> {
  const startedMs = monotonicMs();
  let accepted = 0;
  const countConnection = () => {
    accepted += 1;
  };
  server.on('connection', countConnection);
  try {
    for (let quiet = 0; quiet < quietRounds && monotonicMs() - startedMs < msMax; ) {
      const acceptedBefore = accepted;
      await sleep(1);
      quiet = accepted === acceptedBefore ? quiet + 1 : 0;
    }
  } finally {
    server.off('connection', countConnection);
  }
}
