/**
 * Spaces out calls so that this process stays within an upstream's requests-per-second limit. Of
 * the calls that wait, the last poll of a task goes first, then the oldest task. A call that would
 * wait longer than `waitMsMax` gets the delay instead: under load, that of the youngest task.
 */
import { monotonicMs, startTimer } from '../../process/clock.ts';
import type { PollTurn } from '../provider.ts';

type ThrottleGrant =
  | { readonly granted: true }
  | { readonly granted: false; readonly waitSeconds: number };

type Call = Partial<PollTurn> & { readonly waitMsMax: number };

export interface CallThrottle {
  /** Resolves when the call may be made, or with a delay when it would wait too long. */
  acquire(call: Call): Promise<ThrottleGrant>;
}

type WaitingCall = Call & { settle(grant: ThrottleGrant): void };

export function createThrottle(options: { readonly perSecond: number }): CallThrottle {
  const gapMs = 1000 / options.perSecond;
  if (gapMs === 0) return { acquire: async () => ({ granted: true }) };
  return new SpacedCalls(gapMs);
}

class SpacedCalls implements CallThrottle {
  readonly #gapMs: number;
  readonly #waiting: WaitingCall[] = [];
  // No bursts: the upstream's one-second window can start at any time.
  #freeAtMs = 0;
  // Every denied call gets a different time. If all came back together, most would be denied again.
  #promisedMs = 0;
  #timer: { stop(): void } | null = null;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  async acquire(call: Call): Promise<ThrottleGrant> {
    if (this.#waiting.length === 0 && monotonicMs() >= this.#freeAtMs) return this.#grant();
    return await new Promise((resolve) => {
      const leave = () => this.#deny(waiting);
      const waiting: WaitingCall = {
        ...call,
        settle: (grant) => {
          call.signal?.removeEventListener('abort', leave);
          resolve(grant);
        },
      };
      const at = this.#waiting.findIndex((other) => isBefore(call, other));
      this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, waiting);
      call.signal?.addEventListener('abort', leave, { once: true });
      if (call.signal?.aborted) leave();
      else this.#denyLatecomers();
      this.#schedule();
    });
  }

  #grant(): ThrottleGrant {
    this.#freeAtMs = Math.max(this.#freeAtMs, monotonicMs()) + this.#gapMs;
    return { granted: true };
  }

  /** Denies the calls that now wait too long, beginning with the last. */
  #denyLatecomers(): void {
    const untilFreeMs = this.#freeAtMs - monotonicMs();
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      const one = this.#waiting[at]!;
      if (untilFreeMs + at * this.#gapMs > one.waitMsMax) this.#deny(one);
    }
  }

  #deny(call: WaitingCall): void {
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    const nowMs = monotonicMs();
    const freeMs = Math.max(this.#freeAtMs, nowMs) + this.#waiting.length * this.#gapMs;
    const atMs = Math.max(freeMs, this.#promisedMs);
    this.#promisedMs = atMs + this.#gapMs;
    call.settle({ granted: false, waitSeconds: (atMs - nowMs) / 1000 });
  }

  #schedule(): void {
    if (this.#timer || this.#waiting.length === 0) return;
    this.#timer = startTimer(Math.max(0, this.#freeAtMs - monotonicMs()), () => {
      this.#timer = null;
      if (monotonicMs() >= this.#freeAtMs) this.#waiting.shift()?.settle(this.#grant());
      this.#schedule();
    });
  }
}

/** Calls that are no polls, such as cancellations, go before those that are not the last. */
function isBefore(one: Call, other: Call): boolean {
  const { isLast = false, ageSeconds = Number.POSITIVE_INFINITY } = one;
  const { isLast: otherIsLast = false, ageSeconds: otherAge = Number.POSITIVE_INFINITY } = other;
  return isLast === otherIsLast ? ageSeconds > otherAge : isLast;
}
