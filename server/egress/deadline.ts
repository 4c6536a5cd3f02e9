/**
 * One total deadline for an exchange, from the first look-up to the last byte. Phase time-outs do
 * not bound one: endless 1xx answers, or a byte now and then, outlive each of them.
 */
import { after } from '../clock.ts';
import { EgressFailure } from './failure.ts';

export type Deadline = {
  /** Aborts with the `EgressFailure` that says why. */
  readonly signal: AbortSignal;
  /** Must be called when the exchange is over. */
  stop(): void;
};

export function startDeadline(ms: number, cancels: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController();
  const cancel = () => controller.abort(new EgressFailure('cancelled'));
  const timer = after(ms, () => controller.abort(new EgressFailure('timeout')));
  for (const signal of cancels) {
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
  }
  return {
    signal: controller.signal,
    stop() {
      timer.stop();
      for (const signal of cancels) signal?.removeEventListener('abort', cancel);
    },
  };
}
