/**
 * One total deadline for an exchange, from DNS lookup to the last byte. Timeouts per phase are not
 * enough: endless 1xx responses or a slow trickle of bytes can outlast each of them.
 */
import { startTimer } from '../process/clock.ts';
import { EgressFailure } from './failure.ts';

type Deadline = {
  /** Aborts with an `EgressFailure` as its reason. */
  readonly signal: AbortSignal;
  /** Must be called when the exchange is over. */
  stop(): void;
  /** Ends the exchange as `cancelled`. */
  cancel(): void;
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
  return { signal: controller.signal, stop, cancel };
}

export type Deadlines = {
  start(ms: number, cancelSignal?: AbortSignal): Omit<Deadline, 'cancel'>;
  /** Cancels the exchanges in progress, and later ones at their start. */
  close(): void;
};

/**
 * Deadlines that are cancelled together. They do not share a signal: it searches all its listeners
 * to add or remove one, and hundreds of webhooks are sent at once.
 */
export function createDeadlines(): Deadlines {
  const open = new Set<Deadline>();
  let isClosed = false;
  return {
    start(ms, cancelSignal) {
      const deadline = startDeadline(ms, [cancelSignal]);
      open.add(deadline);
      if (isClosed) deadline.cancel();
      const stop = () => {
        open.delete(deadline);
        deadline.stop();
      };
      return { signal: deadline.signal, stop };
    },
    close() {
      isClosed = true;
      for (const { cancel } of open) cancel();
    },
  };
}
