/**
 * Accepts the connections in the system's accept queue before a shutdown. Node accepts one per turn
 * of the event loop, so a busy process has many waiting, some for seconds. Closing the listening
 * socket would reset them, and a proxy may not retry a POST after that.
 */
import type { Server } from 'node:http';
import { monotonicMs, sleep } from '../../process/clock.ts';

/** New connections may arrive faster than they are accepted: the limit of the wait for a gap. */
const msMax = 5000;
/** A timer may fire before the queue is polled again; the second one does not. */
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
