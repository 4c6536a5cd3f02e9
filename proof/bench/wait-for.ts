/** Waits for what the service has to do, and fails where it would wait forever. */
import { monotonicMs, sleep } from '../../server/process/clock.ts';

const waitMsMax = 300_000;
const pollMs = 20;

/** Throws with `what` if it has not come true after five minutes, or after `msMax`. */
export async function waitFor(
  what: string,
  isSo: () => Promise<boolean>,
  { msMax = waitMsMax }: { readonly msMax?: number } = {},
): Promise<void> {
  const untilMs = monotonicMs() + msMax;
  while (!(await isSo())) {
    if (monotonicMs() > untilMs) throw new Error(`waited too long for ${what}`);
    await sleep(pollMs);
  }
}
