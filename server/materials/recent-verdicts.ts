/**
 * What was found out about an address a moment ago. What was in order is not fetched again; what
 * was not is asked for once more, since its owner may have mended it, but read and parsed again
 * only if its ETag or length has changed: a hostile file costs its parsing once a minute.
 */
import { elapsedMs } from '../clock.ts';
import type { Material } from './material.ts';
import type { Verdict } from './verdict.ts';

const lifeMs = 60_000;
const verdictsMax = 2_000;

export type RecentVerdict = {
  readonly verdict: Verdict;
  /** Null where its server gives nothing to know the file by. */
  readonly stamp: string | null;
};

export type RecentVerdicts = {
  find(material: Material): RecentVerdict | null;
  keep(material: Material, recent: RecentVerdict): void;
};

export function createRecentVerdicts(): RecentVerdicts {
  const kept = new Map<string, RecentVerdict & { readonly untilMs: number }>();
  const nameOf = ({ kind, url }: Material) => `${kind} ${url}`;
  return {
    find(material) {
      const found = kept.get(nameOf(material));
      return found && found.untilMs > elapsedMs() ? found : null;
    },
    keep(material, recent) {
      const name = nameOf(material);
      kept.delete(name);
      kept.set(name, { ...recent, untilMs: elapsedMs() + lifeMs });
      const [oldest] = kept.keys();
      if (kept.size > verdictsMax && oldest !== undefined) kept.delete(oldest);
    },
  };
}
