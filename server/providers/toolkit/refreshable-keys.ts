/**
 * What an upstream publishes for callbacks to be verified with: fetched when it is first needed,
 * kept for a time, and fetched anew when something does not fit it, but never for every forger.
 */
import { monotonicMs } from '../../clock.ts';

export type RefreshableKeys<Value> = {
  /** What was fetched last, while it may still be used. */
  current(): Value | undefined;
  /** Fetches it anew, unless that was tried just now; keeps what it has where that fails. */
  refresh(): Promise<void>;
};

const refreshGapMs = 60_000;

export function createRefreshableKeys<Value extends object>(options: {
  /** Undefined when it could not be had. */
  readonly fetch: () => Promise<Value | undefined>;
  readonly ageMsMax: number;
}): RefreshableKeys<Value> {
  let cached: { readonly value: Value; readonly atMs: number } | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  // Several that come at once ask for it once.
  let fetching: Promise<void> | undefined;

  async function fetchNow(): Promise<void> {
    triedAtMs = monotonicMs();
    const value = await options.fetch();
    if (value !== undefined) cached = { value, atMs: monotonicMs() };
  }

  return {
    current: () =>
      cached && monotonicMs() - cached.atMs < options.ageMsMax ? cached.value : undefined,
    async refresh() {
      if (!fetching && monotonicMs() - triedAtMs < refreshGapMs) return;
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
export async function verifyWithRefresh<Value extends object>(
  keys: RefreshableKeys<Value>,
  verify: (value: Value) => string | null,
): Promise<string | null> {
  const before = keys.current();
  const first = before === undefined ? 'nothing to verify it with can be had' : verify(before);
  if (first === null) return null;
  await keys.refresh();
  const now = keys.current();
  return now === undefined || now === before ? first : verify(now);
}
