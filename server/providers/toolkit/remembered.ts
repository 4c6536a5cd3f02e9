/**
 * What an upstream publishes for callbacks to be verified with: fetched when it is first needed,
 * kept for a time, and fetched anew when something does not fit it, but never for every forger.
 */
import { elapsedMs } from '../../clock.ts';

export type Remembered<Value> = {
  /** What was fetched last, while it may still be used. */
  current(): Value | undefined;
  /** Fetches it anew, unless that was tried just now; keeps what it has where that fails. */
  renew(): Promise<void>;
};

const betweenFetchesMs = 60_000;

export function createRemembered<Value extends object>(options: {
  /** Undefined when it could not be had. */
  readonly fetch: () => Promise<Value | undefined>;
  readonly keptMsMax: number;
}): Remembered<Value> {
  let known: { readonly value: Value; readonly atMs: number } | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  // Several that come at once ask for it once.
  let fetching: Promise<void> | undefined;

  async function fetchNow(): Promise<void> {
    triedAtMs = elapsedMs();
    const value = await options.fetch();
    if (value !== undefined) known = { value, atMs: elapsedMs() };
  }

  return {
    current: () =>
      known && elapsedMs() - known.atMs < options.keptMsMax ? known.value : undefined,
    async renew() {
      if (!fetching && elapsedMs() - triedAtMs < betweenFetchesMs) return;
      fetching ??= fetchNow().finally(() => {
        fetching = undefined;
      });
      await fetching;
    },
  };
}

/**
 * Judges with what is known, and once more with what is published now where that does not fit.
 * Gives why something is not to be believed; null when it is.
 */
export async function judgeWith<Value extends object>(
  remembered: Remembered<Value>,
  judge: (value: Value) => string | null,
): Promise<string | null> {
  const before = remembered.current();
  const first = before === undefined ? 'nothing to verify it with can be had' : judge(before);
  if (first === null) return null;
  await remembered.renew();
  const now = remembered.current();
  return now === undefined || now === before ? first : judge(now);
}
