/** Waits for a worker, which serves no endpoint that could tell whether it is ready. */
import { sleep } from '../../../server/clock.ts';
import type { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';

const pollMs = 5;
const pollsPerTask = 40;

/** Creates tasks until the process has leased a job. Throws when the process exits before. */
export async function waitUntilWorking(
  installation: Installation,
  process: ServiceProcess,
): Promise<void> {
  for (;;) {
    await installation.clients.create();
    for (let polls = 0; polls < pollsPerTask; polls++) {
      if ((await installation.countLeasedBy(process.pid)) > 0) return;
      if (process.hasExited) throw new Error(`the process exited: ${process.output()}`);
      await sleep(pollMs);
    }
  }
}
