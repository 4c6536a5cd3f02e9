/**
 * Verifies provider callbacks with keys that the upstream publishes. The keys are fetched when
 * first needed, kept for a day, and fetched again when a signature does not match, at most once a
 * minute so that forged callbacks do not cause requests.
 */
import { monotonicMs } from '../../process/clock.ts';
import type { CallbackResult } from '../provider.ts';

export const callbackHint = (operation: string | undefined): CallbackResult => ({
  outcome: 'hint',
  ...(operation ? { operation } : {}),
});

export const invalidSignature = (detail: string): CallbackResult => ({
  outcome: 'invalid_signature',
  detail,
});

const refreshGapMs = 60_000;
const defaultAgeMsMax = 24 * 3_600_000;

/**
 * Returns a function that calls `verify` with the current keys, and once more with new ones when
 * they do not match. It returns why a callback is not authentic, or null.
 */
export function createKeyVerifier<Keys extends object>(options: {
  /** Undefined when the keys cannot be fetched; the previous ones are kept then. */
  readonly fetch: () => Promise<Keys | undefined>;
  readonly ageMsMax?: number;
}): (verify: (keys: Keys) => string | null) => Promise<string | null> {
  const { ageMsMax = defaultAgeMsMax } = options;
  let cached: { readonly keys: Keys; readonly atMs: number } | undefined;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  // Shared by concurrent callbacks.
  let fetching: Promise<void> | undefined;

  const currentKeys = () =>
    cached && monotonicMs() - cached.atMs < ageMsMax ? cached.keys : undefined;

  async function fetchKeys(): Promise<void> {
    fetchedAtMs = monotonicMs();
    const keys = await options.fetch();
    if (keys !== undefined) cached = { keys, atMs: monotonicMs() };
  }

  async function refresh(): Promise<void> {
    if (!fetching && monotonicMs() - fetchedAtMs < refreshGapMs) return;
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    await fetching;
  }

  return async (verify) => {
    const before = currentKeys();
    const problem = before === undefined ? 'no keys to verify it with' : verify(before);
    if (problem === null) return null;
    await refresh();
    const after = currentKeys();
    return after === undefined || after === before ? problem : verify(after);
  };
}
