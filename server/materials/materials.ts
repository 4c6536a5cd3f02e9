/**
 * Looks at what a generation refers to before a credit moves: all materials at once, 4 s in all,
 * through the egress guard. Tells what is proven wrong, what could not be reached, and how long the
 * rest is; which lengths are allowed is the catalogue's business.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Problem } from '@vidgen/contract/problem.ts';
import { elapsedMs } from '../clock.ts';
import { startDeadline } from '../egress/deadline.ts';
import type { Egress } from '../egress/egress.ts';
import { createPlaces, type Places } from '../egress/places.ts';
import type { Log } from '../log.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { type Inspection, type Inspector, inspect } from './inspection.ts';
import { listMaterials, type Material, type MaterialSizes } from './material.ts';
import { MeasuringPool } from './measuring-pool.ts';
import { createRecentVerdicts } from './recent-verdicts.ts';
import { createSilentHosts } from './silent-hosts.ts';
import { notReachedWords, type Verdict } from './verdict.ts';

export type MaterialsOptions = {
  readonly egress: Egress;
  readonly log: Log;
  /** Whether what was not reached is a problem; `lenient` leaves it to the provider. */
  readonly mode?: 'lenient' | 'strict';
  readonly sizes: MaterialSizes;
  readonly lookMs?: number;
};

export type Looked = {
  /** Seconds to a tenth, in the order of the request; null where not reached or wrong. */
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
  /** Reasons to refuse, in the order of the request; with `strict` also what was not reached. */
  readonly problems: readonly Problem[];
  readonly notReached: readonly Problem[];
};

export type Materials = {
  look(request: { readonly accountId: string; readonly generation: Generation }): Promise<Looked>;
  /** Ends what is under way as not reached. */
  close(): void;
};

// Decisions, "Looking is bounded".
const lookMsDefault = 4_000;
const createBytesMax = 32_000_000;
const looksPerAccountMax = 2;
/** Held at once by all looks of this process; who comes too late for it is not reached. */
const processBytesMax = 256_000_000;

/** A turn that comes later is none: too little time is left to blame a host for. */
const waitShareMax = 0.75;

type Inside = {
  readonly inspector: Inspector;
  readonly turns: Places;
  readonly held: ByteBudget;
  readonly sizes: MaterialSizes;
  readonly lookMs: number;
  readonly closing: AbortSignal;
};

export function createMaterials(options: MaterialsOptions): Materials {
  const { egress, log, mode = 'lenient' } = options;
  const closing = new AbortController();
  const pool = new MeasuringPool({ log });
  const inside: Inside = {
    inspector: {
      egress,
      pool,
      silentHosts: createSilentHosts(),
      recent: createRecentVerdicts(),
    },
    turns: createPlaces(looksPerAccountMax),
    held: createByteBudget(processBytesMax),
    sizes: options.sizes,
    lookMs: options.lookMs ?? lookMsDefault,
    closing: closing.signal,
  };
  return {
    async look({ accountId, generation }) {
      const materials = listMaterials(generation);
      const verdicts = await verdictsOf(inside, { accountId, materials });
      const looked = lookedOf(materials, verdicts, mode);
      const { problems, notReached } = looked;
      log.debug({ accountId, materials: materials.length, problems, notReached }, 'looked');
      return looked;
    },
    close() {
      closing.abort();
      pool.close();
    },
  };
}

type Look = { readonly accountId: string; readonly materials: readonly Material[] };

/** One for each material, in their order. */
async function verdictsOf(inside: Inside, look: Look): Promise<readonly Verdict[]> {
  const { turns, held, lookMs, closing } = inside;
  if (look.materials.length === 0) return [];
  const askedMs = elapsedMs();
  const { signal, stop } = startDeadline(lookMs, [closing]);
  const budget = createByteBudget(createBytesMax, held);
  // It rejects only because the time is up.
  const leave = await turns.take(look.accountId, signal).catch(() => null);
  try {
    const isLate = elapsedMs() - askedMs > lookMs * waitShareMax;
    if (leave && !isLate) return await inspectAll(inside, { ...look, budget, signal });
    return look.materials.map(() => ({ outcome: 'not_reached', reason: 'no_turn' }));
  } finally {
    leave?.();
    budget.close();
    stop();
  }
}

async function inspectAll(
  { inspector, sizes, lookMs: deadlineMs }: Inside,
  { accountId, materials, ...bounds }: Look & Pick<Inspection, 'budget' | 'signal'>,
): Promise<readonly Verdict[]> {
  if (materials.some(({ kind }) => kind !== 'image')) inspector.pool.warm();
  // An address that is listed twice is looked at once.
  const verdicts = new Map<string, Promise<Verdict>>();
  return await Promise.all(
    materials.map((material) => {
      const name = `${material.kind} ${material.url}`;
      const bytesMax = sizes[material.kind];
      const inspection = { material, accountId, bytesMax, deadlineMs, ...bounds };
      const verdict = verdicts.get(name) ?? inspect(inspector, inspection);
      verdicts.set(name, verdict);
      return verdict;
    }),
  );
}

function lookedOf(
  materials: readonly Material[],
  verdicts: readonly Verdict[],
  mode: 'lenient' | 'strict',
): Looked {
  const judged = materials.map((material, index) => ({ material, verdict: verdicts[index]! }));
  const problem = ({ path }: Material, words: string): Problem => ({
    kind: 'rule',
    path,
    words: `${path} ${words}`,
  });
  const secondsOf = (kind: Material['kind']) =>
    judged
      .filter(({ material }) => material.kind === kind)
      .map(({ verdict }) => (verdict.outcome === 'sound' ? verdict.seconds : null));
  const notReached = judged.flatMap(({ material, verdict }) =>
    verdict.outcome === 'not_reached' ? [problem(material, notReachedWords(verdict.reason))] : [],
  );
  const problems = judged.flatMap(({ material, verdict }) => {
    if (verdict.outcome === 'breach') return [problem(material, verdict.rule)];
    if (verdict.outcome === 'sound' || mode === 'lenient') return [];
    return [problem(material, notReachedWords(verdict.reason))];
  });
  return { videos: secondsOf('video'), audios: secondsOf('audio'), problems, notReached };
}
