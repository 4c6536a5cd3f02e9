/**
 * Recent verdicts by material. A valid material is not fetched again. An invalid one is requested
 * again, since its owner may have fixed it, but read and parsed only if its ETag or length has
 * changed: a hostile file is parsed at most once a minute.
 */
import { monotonicMs } from '../process/clock.ts';
import type { Material } from './material.ts';
import type { ProbeVerdict } from './probe-verdict.ts';

const ttlMs = 60_000;
const verdictsMax = 2_000;

type CachedVerdict = {
  readonly verdict: ProbeVerdict;
  /** Null if the server sends nothing that identifies the file's version. */
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
