/** Whether a process has begun: a worker answers no request that could tell. */
import { sleep } from '../../../server/clock.ts';
import type { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';

const lookMs = 5;
const looksPerTask = 40;

/** Resolves when it holds a piece of work; there is always some. Throws when it ended. */
export async function isAtWork(installation: Installation, process: ServiceProcess): Promise<void> {
  for (;;) {
    await installation.clients.create();
    for (let looks = 0; looks < looksPerTask; looks++) {
      if ((await installation.countHeldBy(process.pid)) > 0) return;
      if (process.isOver) throw new Error(`the process ended: ${process.said()}`);
      await sleep(lookMs);
    }
  }
}
