/**
 * One total deadline for an exchange, from the first look-up to the last byte. Phase time-outs do
 * not bound one: endless 1xx answers, or a byte now and then, outlive each of them.
 */
import { startTimer } from '../clock.ts';
import { EgressFailure } from './failure.ts';

export type Deadline = {
  /** Aborts with the `EgressFailure` that says why. */
  readonly signal: AbortSignal;
  /** Must be called when the exchange is over. */
  stop(): void;
};

export function startDeadline(
  ms: number,
  cancelSignals: readonly (AbortSignal | undefined)[],
): Deadline {
  const controller = new AbortController();
  const end = (code: 'timeout' | 'cancelled') => {
    stop();
    controller.abort(new EgressFailure(code));
  };
  const cancel = () => end('cancelled');
  const timer = startTimer(ms, () => end('timeout'));
  const stop = () => {
    timer.stop();
    for (const signal of cancelSignals) signal?.removeEventListener('abort', cancel);
  };
  for (const signal of cancelSignals) signal?.addEventListener('abort', cancel, { once: true });
  if (cancelSignals.some((signal) => signal?.aborted)) cancel();
  return { signal: controller.signal, stop };
}
