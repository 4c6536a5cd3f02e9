/**
 * What was found out about an address a moment ago. What was in order is not fetched again; what
 * was not is asked for once more, since its owner may have mended it, but read and parsed again
 * only if its ETag or length has changed: a hostile file costs its parsing once a minute.
 */
import { monotonicMs } from '../clock.ts';
import type { Material } from './material.ts';
import type { ProbeVerdict } from './probe-verdict.ts';

const ttlMs = 60_000;
const verdictsMax = 2_000;

export type CachedVerdict = {
  readonly verdict: ProbeVerdict;
  /** Null where its server gives nothing to know the file by. */
  readonly fingerprint: string | null;
};

export type ProbeCache = {
  find(material: Material): CachedVerdict | null;
  set(material: Material, entry: CachedVerdict): void;
};

export function createProbeCache(): ProbeCache {
  const entries = new Map<string, CachedVerdict & { readonly untilMs: number }>();
  const keyOf = ({ kind, url }: Material) => `${kind} ${url}`;
  return {
    find(material) {
      const found = entries.get(keyOf(material));
      return found && found.untilMs > monotonicMs() ? found : null;
    },
    set(material, entry) {
      const key = keyOf(material);
      entries.delete(key);
      entries.set(key, { ...entry, untilMs: monotonicMs() + ttlMs });
      const [oldest] = entries.keys();
      if (entries.size > verdictsMax && oldest !== undefined) entries.delete(oldest);
    },
  };
}
