/**
 * How many new tasks a provider gets. After several failures in a row a breaker lets none through
 * for a while, then one as a trial. A provider that is busy gets none until it may have room, then
 * few, then more.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import { startTimer } from '../process/clock.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

/** One or two lost responses are normal. */
const failuresToOpen = 5;
const cooldownMs = { first: 5_000, max: 120_000 };
/** A provider that accepts so many starts at once is not busy. */
const startWindowMax = 64;
/** Before a provider has answered for the first time: it may hang. */
const startWindowFirst = 16;

/** Half of the submits that a worker runs at once: one provider that hangs must not stop all. */
const startsAtOnceMax = 32;

export function createAdmission(elapsed: () => number) {
  const breaker = createBreaker(elapsed);
  const windows = new Map<ModelName, ReturnType<typeof createStartWindow>>();
  const windowOf = (model: ModelName) => {
    const known = windows.get(model) ?? createStartWindow(elapsed);
    windows.set(model, known);
    return known;
  };
  let reserved = 0;
  const waiting = new Set<(hasEnded: boolean) => void>();
  const admitted = (model: ModelName): number =>
    Math.min(breaker.availableStarts(), windowOf(model).availableStarts());
  /** How many more starts of the model may be made now. */
  const availableStarts = (model: ModelName): number =>
    Math.min(admitted(model), startsAtOnceMax - reserved);
  return {
    breaker,
    windowOf,
    availableStarts,
    /**
     * Resolves with true when one of the starts under way has ended and it is the caller's turn to
     * start. Resolves with false after `waitMs`, or at once if they are not what prevents a start.
     */
    async waitForStart(model: ModelName, waitMs: number): Promise<boolean> {
      if (reserved < startsAtOnceMax || admitted(model) < 1 || waitMs <= 0) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.add(resolve);
      const timer = startTimer(waitMs, () => {
        waiting.delete(resolve);
        resolve(false);
      });
      return await promise.finally(timer.stop);
    },
    /** Takes the place of one start until it is disposed of; null if none is admitted. */
    reserve(model: ModelName): Disposable | null {
      if (availableStarts(model) < 1) return null;
      const parts = [breaker, windowOf(model)];
      reserved += 1;
      for (const part of parts) part.reserve();
      return {
        [Symbol.dispose]() {
          reserved -= 1;
          for (const part of parts) part.release();
          const [next] = waiting;
          if (next) waiting.delete(next);
          next?.(true);
        },
      };
    },
  };
}

/**
 * How many starts of a model may be on their way at once; upstreams limit each model by itself. One
 * that is busy gets the next start when its `Retry-After` has passed or one of its tasks has ended,
 * and with every start that it accepts twice as many. Otherwise every task that waits would ask
 * again and again.
 */
function createStartWindow(elapsed: () => number) {
  let size = startWindowFirst;
  let closedUntilMs = 0;
  let reserved = 0;
  let closings = 0;
  return {
    availableStarts: (): number => (elapsed() < closedUntilMs ? 0 : Math.max(0, size - reserved)),
    reserve(): void {
      reserved += 1;
    },
    release(): void {
      reserved -= 1;
    },
    begin(): { end(result: { readonly accepted: boolean }): void } {
      const closingsBefore = closings;
      return {
        end({ accepted }) {
          // Accepted, but perhaps as the last for which there was room.
          if (!accepted || closings > closingsBefore) return;
          size = size < startWindowMax ? size * 2 : Number.POSITIVE_INFINITY;
        },
      };
    },
    close(seconds: number): void {
      closings += 1;
      size = 1;
      closedUntilMs = Math.max(closedUntilMs, elapsed() + seconds * 1000);
    },
    reopen(): void {
      closedUntilMs = 0;
    },
  };
}

function createBreaker(elapsed: () => number) {
  let failures = 0;
  let openUntilMs = 0;
  let cooldown: number = cooldownMs.first;
  let reserved = 0;
  const stateOf = (): BreakerState =>
    failures < failuresToOpen ? 'closed' : elapsed() < openUntilMs ? 'open' : 'half-open';

  return {
    availableStarts(): number {
      const state = stateOf();
      if (state === 'closed') return Number.POSITIVE_INFINITY;
      return state === 'half-open' && reserved === 0 ? 1 : 0;
    },
    reserve(): void {
      reserved += 1;
    },
    release(): void {
      reserved -= 1;
    },
    record({ failed }: { readonly failed: boolean }): void {
      if (!failed) {
        failures = 0;
        cooldown = cooldownMs.first;
        return;
      }
      const wasOpen = stateOf() === 'open';
      failures += 1;
      // Only a failed trial makes the next pause longer, not the calls that had begun before it.
      if (failures < failuresToOpen || wasOpen) return;
      openUntilMs = elapsed() + cooldown;
      cooldown = Math.min(cooldownMs.max, cooldown * 2);
    },
    state(): { breaker: BreakerState; secondsUntilTrial: number } {
      const state = stateOf();
      const secondsLeft = state === 'open' ? (openUntilMs - elapsed()) / 1000 : 0;
      return { breaker: state, secondsUntilTrial: Math.ceil(secondsLeft) };
    },
  };
}
