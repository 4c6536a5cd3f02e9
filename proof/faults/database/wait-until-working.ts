/** Whether a process has begun: a worker answers no request that could tell. */
import { sleep } from '../../../server/clock.ts';
import type { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';

const pollMs = 5;
const pollsPerTask = 40;

/** Resolves when it holds a piece of work; there is always some. Throws when it ended. */
export async function waitUntilWorking(
  installation: Installation,
  process: ServiceProcess,
): Promise<void> {
  for (;;) {
    await installation.clients.create();
    for (let polls = 0; polls < pollsPerTask; polls++) {
      if ((await installation.countLeasedBy(process.pid)) > 0) return;
      if (process.hasExited) throw new Error(`the process ended: ${process.output()}`);
      await sleep(pollMs);
    }
  }
}
