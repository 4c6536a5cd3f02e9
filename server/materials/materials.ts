/**
 * Probes the materials of a generation before credits are reserved: all at once, 4 s in total,
 * through the egress guard. Reports proven violations, unreachable materials and the durations of
 * the others; the catalog decides which durations are allowed.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type Problem, ruleProblem } from '@vidgen/contract/problem.ts';
import { ChunkAllowance } from '../egress/chunk-limit.ts';
import { startDeadline } from '../egress/deadline.ts';
import type { Egress } from '../egress/egress.ts';
import { createKeyedSemaphore, type KeyedSemaphore } from '../egress/keyed-semaphore.ts';
import type { Log } from '../telemetry/log.ts';
import { DurationPool } from './duration-pool.ts';
import { LocalFile } from './local-file.ts';
import { listMaterials, type Material, type MaterialSizeLimits } from './material.ts';
import {
  createProbeCache,
  type MaterialProbe,
  type ProbeDeps,
  probeMaterial,
} from './probe-material.ts';
import { type ProbeVerdict, roundToTenth, unreachableMessage } from './probe-verdict.ts';
import { type ByteBudget, createByteBudget } from './remote-file.ts';
import { isOwnReason, UnreachableError } from './unreachable.ts';
import { UnresponsiveHosts } from './unresponsive-hosts.ts';

export type MaterialsOptions = {
  readonly egress: Egress;
  readonly log: Log;
  /** Whether an unreachable material is a problem; `lenient` leaves it to the provider. */
  readonly unreachablePolicy?: 'lenient' | 'strict';
  readonly sizes: MaterialSizeLimits;
  readonly probeTimeoutMs?: number;
  /** For measuring one file. */
  readonly measureMsMax?: number;
  /** How long a create waits for its turn before it is told to come back. */
  readonly turnTimeoutMs?: number;
  /** For all probes of this process together; beyond it creates are told to come back. */
  readonly processBytesMax?: number;
};

type ProbeReport = {
  /** Seconds to a tenth, in the order of the request; null if unreachable or invalid. */
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
  /** Like `videos`, but null also where only the header gives the length. */
  readonly measuredVideos: readonly (number | null)[];
  /** Of the images, such as `HEIC`; null where it is not known. */
  readonly imageFormats: readonly (string | null)[];
  /** Reasons to reject the request, in its order; with `strict` unreachable materials too. */
  readonly problems: readonly Problem[];
  readonly unreachable: readonly Problem[];
  /** Our own limits kept a material from being probed, so that no price can be given. */
  readonly isBusy: boolean;
};

export type Materials = {
  probe(request: {
    readonly accountId: string;
    readonly generation: Generation;
  }): Promise<ProbeReport>;
  /**
   * Returns the seconds of a video on this disk, to a tenth; null if they cannot be measured.
   * Throws when only our load kept it from being measured.
   */
  measureVideo(request: {
    readonly accountId: string;
    readonly file: string;
    readonly signal: AbortSignal;
  }): Promise<number | null>;
  /** Ends probes in progress as unreachable. */
  close(): void;
};

// Decision 0001, "Looking is bounded".
const probeTimeoutMsDefault = 4_000;
const createBytesMax = 32_000_000;
const probesPerAccountMax = 2;
const processBytesMaxDefault = 256_000_000;

/** Long enough for the two creates ahead of it. */
const turnTimeoutMsDefault = 10_000;

type MaterialsContext = {
  readonly deps: ProbeDeps;
  readonly accountSlots: KeyedSemaphore;
  readonly processBudget: ByteBudget;
  readonly sizes: MaterialSizeLimits;
  readonly probeTimeoutMs: number;
  readonly turnTimeoutMs: number;
  readonly closing: AbortSignal;
};

export function createMaterials(options: MaterialsOptions): Materials {
  const { egress, log, unreachablePolicy = 'lenient' } = options;
  const closing = new AbortController();
  const { measureMsMax } = options;
  const pool = new DurationPool({ log, ...(measureMsMax === undefined ? {} : { measureMsMax }) });
  const context: MaterialsContext = {
    deps: {
      egress,
      pool,
      unresponsiveHosts: new UnresponsiveHosts(),
      cache: createProbeCache(),
    },
    accountSlots: createKeyedSemaphore(probesPerAccountMax),
    processBudget: createByteBudget(options.processBytesMax ?? processBytesMaxDefault),
    sizes: options.sizes,
    probeTimeoutMs: options.probeTimeoutMs ?? probeTimeoutMsDefault,
    turnTimeoutMs: options.turnTimeoutMs ?? turnTimeoutMsDefault,
    closing: closing.signal,
  };
  return {
    async probe({ accountId, generation }) {
      const materials = listMaterials(generation);
      const verdicts = await verdictsOf(context, { accountId, materials });
      const report = toReport(materials, verdicts, unreachablePolicy);
      const { problems, unreachable } = report;
      log.debug(
        { accountId, materials: materials.length, problems, unreachable },
        'materials probed',
      );
      return report;
    },
    measureVideo: (request) => measureVideo(pool, request),
    close() {
      closing.abort();
      pool.close();
    },
  };
}

/** Each round reads at least a megabyte, so this many cover the limit of `LocalFile`. */
const measureRoundsMax = 64;

async function measureVideo(
  pool: DurationPool,
  { accountId, file: path, signal }: Parameters<Materials['measureVideo']>[0],
): Promise<number | null> {
  await using file = await LocalFile.open(path);
  const media = { kind: 'video', bytesTotal: file.bytesTotal, isThorough: true } as const;
  for (let round = 1; round <= measureRoundsMax; round += 1) {
    const { pieces } = file;
    const result = await pool.measure({ file: { ...media, pieces }, accountId, signal });
    if (result.outcome === 'measured') return roundToTenth(result.seconds);
    if (result.outcome === 'abandoned' && !result.hadTurn) throw new Error('no time to measure');
    if (result.outcome !== 'needs' || !(await file.read(result))) return null;
  }
  return null;
}

type ProbeRequest = { readonly accountId: string; readonly materials: readonly Material[] };

/** Returns one verdict per material, in their order. */
async function verdictsOf(
  context: MaterialsContext,
  request: ProbeRequest,
): Promise<readonly ProbeVerdict[]> {
  const { processBudget, probeTimeoutMs, closing } = context;
  if (request.materials.length === 0) return [];
  const release = await waitForTurn(context, request.accountId);
  if (!release) return request.materials.map(() => noTurn);
  // The time for the hosts begins with the turn.
  const { signal, stop } = startDeadline(probeTimeoutMs, [closing]);
  const budget = createByteBudget(createBytesMax, {
    ...processBudget,
    acquire(bytes) {
      if (processBudget.acquire(bytes)) return true;
      // Other creates hold the bytes, which says nothing about this file.
      throw new UnreachableError('no_turn');
    },
  });
  try {
    return await probeAll(context, { ...request, budget, signal });
  } finally {
    release();
    budget.close();
    stop();
  }
}

const noTurn: ProbeVerdict = { outcome: 'unreachable', reason: 'no_turn' };

/** Returns null when no turn came in time or the service is stopping. */
async function waitForTurn(
  { accountSlots, turnTimeoutMs, closing }: MaterialsContext,
  accountId: string,
): Promise<(() => void) | null> {
  const { signal, stop } = startDeadline(turnTimeoutMs, [closing]);
  try {
    return await accountSlots.acquire(accountId, signal).catch(() => null);
  } finally {
    stop();
  }
}

async function probeAll(
  { deps, sizes, probeTimeoutMs: deadlineMs }: MaterialsContext,
  { accountId, materials, ...bounds }: ProbeRequest & Pick<MaterialProbe, 'budget' | 'signal'>,
): Promise<readonly ProbeVerdict[]> {
  if (materials.some(({ kind }) => kind !== 'image')) deps.pool.warm();
  const chunks = new ChunkAllowance();
  const egress: Egress = {
    ...deps.egress,
    get: (request) => deps.egress.get({ ...request, chunks }),
  };
  // A URL listed twice is probed once.
  const verdicts = new Map<string, Promise<ProbeVerdict>>();
  return await Promise.all(
    materials.map((material) => {
      const name = `${material.kind} ${material.url}`;
      const bytesMax = sizes[material.kind];
      const probe = { material, accountId, bytesMax, deadlineMs, ...bounds };
      const verdict = verdicts.get(name) ?? probeMaterial({ ...deps, egress }, probe);
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
  const secondsOf = (kind: Material['kind'], { onlyMeasured = false } = {}) =>
    probed
      .filter(({ material }) => material.kind === kind)
      .map(({ verdict }) => {
        const isKnown = verdict.outcome === 'valid' && (verdict.isMeasured || !onlyMeasured);
        return isKnown ? verdict.seconds : null;
      });
  const isOurs = ownVerdicts(probed);
  const unreachable = probed.flatMap(({ material, verdict }) =>
    verdict.outcome === 'unreachable'
      ? [ruleProblem(material.path, unreachableMessage(verdict.reason))]
      : [],
  );
  const problems = probed.flatMap(({ material, verdict }) => {
    if (verdict.outcome === 'invalid') return [ruleProblem(material.path, verdict.rule)];
    if (verdict.outcome === 'valid' || unreachablePolicy === 'lenient' || isOurs(verdict))
      return [];
    return [ruleProblem(material.path, unreachableMessage(verdict.reason))];
  });
  const isBusy = probed.some(({ verdict }) => isOurs(verdict));
  return {
    videos: secondsOf('video'),
    audios: secondsOf('audio'),
    measuredVideos: secondsOf('video', { onlyMeasured: true }),
    imageFormats: probed
      .filter(({ material }) => material.kind === 'image')
      .map(({ verdict }) => (verdict.outcome === 'valid' && verdict.imageFormat) || null),
    problems,
    unreachable,
    isBusy,
  };
}

type Probed = { readonly material: Material; readonly verdict: ProbeVerdict };

/**
 * Tells verdicts about our own load. Sockets to a host that did not respond to this create were in
 * use because of the host.
 */
function ownVerdicts(probed: readonly Probed[]): (verdict: ProbeVerdict) => boolean {
  const hostReasons: readonly string[] = ['timeout', 'connect', 'silent_host'];
  const hostOf = ({ material }: Probed) => new URL(material.url).host;
  const silentHosts = new Set(
    probed
      .filter(({ verdict: v }) => v.outcome === 'unreachable' && hostReasons.includes(v.reason))
      .map(hostOf),
  );
  const isSlotOf = (hosts: ReadonlySet<string>, one: Probed) =>
    one.verdict.outcome === 'unreachable' &&
    one.verdict.reason === 'no_slot' &&
    hosts.has(hostOf(one));
  const ours = new Set(
    probed
      .filter(({ verdict: v }) => v.outcome === 'unreachable' && isOwnReason(v.reason))
      .filter((one) => !isSlotOf(silentHosts, one))
      .map(({ verdict }) => verdict),
  );
  return (verdict) => ours.has(verdict);
}
