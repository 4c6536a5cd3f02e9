/**
 * Looks at what a generation refers to before a credit moves: all materials at once, 4 s in all,
 * through the egress guard. Tells what is proven wrong, what could not be reached, and how long the
 * rest is; which lengths are allowed is the catalogue's business.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Problem } from '@vidgen/contract/problem.ts';
import { monotonicMs } from '../clock.ts';
import { startDeadline } from '../egress/deadline.ts';
import type { Egress } from '../egress/egress.ts';
import { createKeyedSemaphore, type KeyedSemaphore } from '../egress/keyed-semaphore.ts';
import type { Log } from '../log.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { DurationPool } from './duration-pool.ts';
import { listMaterials, type Material, type MaterialSizeLimits } from './material.ts';
import { createProbeCache } from './probe-cache.ts';
import { type MaterialProbe, type ProbeDeps, probeMaterial } from './probe-material.ts';
import { type ProbeVerdict, unreachableMessage } from './probe-verdict.ts';
import { createUnresponsiveHosts } from './unresponsive-hosts.ts';

export type MaterialsOptions = {
  readonly egress: Egress;
  readonly log: Log;
  /** Whether what was not reached is a problem; `lenient` leaves it to the provider. */
  readonly unreachablePolicy?: 'lenient' | 'strict';
  readonly sizes: MaterialSizeLimits;
  readonly probeTimeoutMs?: number;
};

export type ProbeReport = {
  /** Seconds to a tenth, in the order of the request; null where not reached or wrong. */
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
  /** Reasons to refuse, in the order of the request; with `strict` also what was not reached. */
  readonly problems: readonly Problem[];
  readonly unreachable: readonly Problem[];
};

export type Materials = {
  probe(request: {
    readonly accountId: string;
    readonly generation: Generation;
  }): Promise<ProbeReport>;
  /** Ends what is under way as not reached. */
  close(): void;
};

// Decisions, "Looking is bounded".
const probeTimeoutMsDefault = 4_000;
const createBytesMax = 32_000_000;
const probesPerAccountMax = 2;
/** Held at once by all looks of this process; who comes too late for it is not reached. */
const processBytesMax = 256_000_000;

/** A turn that comes later is none: too little time is left to blame a host for. */
const waitShareMax = 0.75;

type MaterialsContext = {
  readonly deps: ProbeDeps;
  readonly accountSlots: KeyedSemaphore;
  readonly processBudget: ByteBudget;
  readonly sizes: MaterialSizeLimits;
  readonly probeTimeoutMs: number;
  readonly closing: AbortSignal;
};

export function createMaterials(options: MaterialsOptions): Materials {
  const { egress, log, unreachablePolicy = 'lenient' } = options;
  const closing = new AbortController();
  const pool = new DurationPool({ log });
  const context: MaterialsContext = {
    deps: {
      egress,
      pool,
      unresponsiveHosts: createUnresponsiveHosts(),
      cache: createProbeCache(),
    },
    accountSlots: createKeyedSemaphore(probesPerAccountMax),
    processBudget: createByteBudget(processBytesMax),
    sizes: options.sizes,
    probeTimeoutMs: options.probeTimeoutMs ?? probeTimeoutMsDefault,
    closing: closing.signal,
  };
  return {
    async probe({ accountId, generation }) {
      const materials = listMaterials(generation);
      const verdicts = await verdictsOf(context, { accountId, materials });
      const report = toReport(materials, verdicts, unreachablePolicy);
      const { problems, unreachable } = report;
      log.debug({ accountId, materials: materials.length, problems, unreachable }, 'looked');
      return report;
    },
    close() {
      closing.abort();
      pool.close();
    },
  };
}

type ProbeRequest = { readonly accountId: string; readonly materials: readonly Material[] };

/** One for each material, in their order. */
async function verdictsOf(
  context: MaterialsContext,
  request: ProbeRequest,
): Promise<readonly ProbeVerdict[]> {
  const { accountSlots, processBudget, probeTimeoutMs, closing } = context;
  if (request.materials.length === 0) return [];
  const startedMs = monotonicMs();
  const { signal, stop } = startDeadline(probeTimeoutMs, [closing]);
  const budget = createByteBudget(createBytesMax, processBudget);
  // It rejects only because the time is up.
  const release = await accountSlots.acquire(request.accountId, signal).catch(() => null);
  try {
    const isLate = monotonicMs() - startedMs > probeTimeoutMs * waitShareMax;
    if (release && !isLate) return await probeAll(context, { ...request, budget, signal });
    return request.materials.map(() => ({ outcome: 'unreachable', reason: 'no_turn' }));
  } finally {
    release?.();
    budget.close();
    stop();
  }
}

async function probeAll(
  { deps, sizes, probeTimeoutMs: deadlineMs }: MaterialsContext,
  { accountId, materials, ...bounds }: ProbeRequest & Pick<MaterialProbe, 'budget' | 'signal'>,
): Promise<readonly ProbeVerdict[]> {
  if (materials.some(({ kind }) => kind !== 'image')) deps.pool.warm();
  // An address that is listed twice is looked at once.
  const verdicts = new Map<string, Promise<ProbeVerdict>>();
  return await Promise.all(
    materials.map((material) => {
      const name = `${material.kind} ${material.url}`;
      const bytesMax = sizes[material.kind];
      const probe = { material, accountId, bytesMax, deadlineMs, ...bounds };
      const verdict = verdicts.get(name) ?? probeMaterial(deps, probe);
      verdicts.set(name, verdict);
      return verdict;
    }),
  );
}

function toReport(
  materials: readonly Material[],
  verdicts: readonly ProbeVerdict[],
  unreachablePolicy: 'lenient' | 'strict',
): ProbeReport {
  const probed = materials.map((material, index) => ({ material, verdict: verdicts[index]! }));
  const problem = ({ path }: Material, rule: string): Problem => ({
    kind: 'rule',
    path,
    message: `${path} ${rule}`,
  });
  const secondsOf = (kind: Material['kind']) =>
    probed
      .filter(({ material }) => material.kind === kind)
      .map(({ verdict }) => (verdict.outcome === 'valid' ? verdict.seconds : null));
  const unreachable = probed.flatMap(({ material, verdict }) =>
    verdict.outcome === 'unreachable'
      ? [problem(material, unreachableMessage(verdict.reason))]
      : [],
  );
  const problems = probed.flatMap(({ material, verdict }) => {
    if (verdict.outcome === 'invalid') return [problem(material, verdict.rule)];
    if (verdict.outcome === 'valid' || unreachablePolicy === 'lenient') return [];
    return [problem(material, unreachableMessage(verdict.reason))];
  });
  return { videos: secondsOf('video'), audios: secondsOf('audio'), problems, unreachable };
}
