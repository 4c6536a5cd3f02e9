/**
 * Probes one material: reads as few bytes as show its type, size and duration. Ends in a verdict,
 * whatever the host sends and whatever the bytes are.
 */

import { imageSizeOf, tiffDirectoryOf, tiffSizeOf } from '@vidgen/renderer/image-size.ts';
import type { Size } from '@vidgen/renderer/size.ts';
import type { Egress } from '../egress/egress.ts';
import { monotonicMs } from '../process/clock.ts';
import type { DurationPool } from './duration-pool.ts';
import { ExpiringMap } from './expiring-map.ts';
import { detectFileType } from './file-type.ts';
import type { Material, MaterialKind } from './material.ts';
import type { DurationInput, UnreadableReason } from './media-duration.ts';
import {
  type ProbeVerdict,
  tooLarge,
  tooManyPixels,
  unreadable,
  valid,
  validImage,
} from './probe-verdict.ts';
import {
  type ByteBudget,
  createByteBudget,
  openRemoteFile,
  type RemoteFile,
} from './remote-file.ts';
import { isOwnReason, reasonOf, type UnreachableReason } from './unreachable.ts';
import type { UnresponsiveHosts } from './unresponsive-hosts.ts';

export type ProbeDeps = {
  readonly egress: Egress;
  readonly pool: DurationPool;
  readonly unresponsiveHosts: UnresponsiveHosts;
  readonly cache: ProbeCache;
};

/**
 * Recent verdicts by material. A valid material is not fetched again. An invalid one is requested
 * again, since its owner may have fixed it, but read and parsed only if its ETag or length has
 * changed: a hostile file is parsed at most once a minute.
 */
type ProbeCache = ExpiringMap<{
  readonly verdict: ProbeVerdict;
  /** Null if the server sends nothing that identifies the file's version. */
  readonly fingerprint: string | null;
}>;

export const createProbeCache = (): ProbeCache =>
  new ExpiringMap({ ttlMs: 60_000, entriesMax: 2_000 });

export type MaterialProbe = {
  readonly material: Material;
  readonly accountId: string;
  readonly bytesMax: number;
  /** Shared by the whole create. */
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
};

/** Per file: all of an audio file, or the index of any video that has one. */
const fileBytesMax = 16 * 1024 ** 2;
/** Measuring takes less of the time for a probe, unless this machine is overloaded. */
const ownShareMax = 0.25;
/** Requests per file, including the first. */
const readsMax = 12;

export async function probeMaterial(deps: ProbeDeps, probe: MaterialProbe): Promise<ProbeVerdict> {
  const { unresponsiveHosts, cache } = deps;
  const { material, accountId, signal } = probe;
  const cacheKey = `${material.kind} ${material.url}`;
  const known = cache.get(cacheKey);
  if (known?.verdict.outcome === 'valid') return known.verdict;
  const hostAttempt = { origin: new URL(material.url).origin, accountId };
  if (unresponsiveHosts.isUnresponsive(hostAttempt))
    return { outcome: 'unreachable', reason: 'silent_host' };
  const startedMs = monotonicMs();
  try {
    const file = await open(deps, probe);
    unresponsiveHosts.recordResponse(hostAttempt);
    try {
      const isKnown =
        known !== null && known.fingerprint !== null && known.fingerprint === file.fingerprint;
      const verdict = isKnown ? known.verdict : await judgeContent(deps.pool, probe, file);
      if (isAboutFile(verdict, signal))
        cache.set(cacheKey, { verdict, fingerprint: file.fingerprint });
      return verdict;
    } finally {
      file.close();
    }
  } catch (error) {
    const reason = reasonOf(error, signal);
    // A timeout counts against the host only if it had at least half of the time to respond.
    const isLate = reason === 'timeout' && monotonicMs() - startedMs > probe.deadlineMs / 2;
    if (isLate || reason === 'dns' || reason === 'connect') {
      unresponsiveHosts.recordNoResponse(hostAttempt, startedMs);
    }
    return { outcome: 'unreachable', reason };
  }
}

/** Whether the verdict is about the file, and not about our load or its host. */
const isAboutFile = (verdict: ProbeVerdict, { aborted }: AbortSignal): boolean =>
  verdict.outcome !== 'unreachable' || (verdict.reason === 'not_measured' && !aborted);

function open({ egress }: ProbeDeps, probe: MaterialProbe): Promise<RemoteFile> {
  const { material, budget, bytesMax, signal, deadlineMs } = probe;
  return openRemoteFile({
    egress,
    url: material.url,
    signal,
    deadlineMs,
    bytesMax,
    budget: createByteBudget(fileBytesMax, budget),
  });
}

async function judgeContent(
  pool: DurationPool,
  probe: MaterialProbe,
  file: RemoteFile,
): Promise<ProbeVerdict> {
  const { material, bytesMax } = probe;
  const { kind } = material;
  if ((file.bytesTotal ?? 0) > bytesMax) {
    return tooLarge(kind, { bytes: file.bytesTotal, bytesMax });
  }
  if (file.first.length === 0) return unreadable(kind, 'empty');
  const found = detectFileType(file.first);
  if (kind === 'image') {
    if (found?.media !== 'image') return unreadable(kind, foundType(kind, file));
    const size = await findImageSize(file);
    if (size === 'too_far') return unreadable(kind, `${found.name} with too much metadata`);
    return (size && tooManyPixels(size)) ?? validImage(found.name);
  }
  // The tracks decide between video and audio.
  if (found?.media === null || found?.media === 'image') return unreadable(kind, found.name);
  if (file.bytesTotal === null) await file.readWhole();
  if (file.bytesTotal === null) return tooLarge(kind, { bytes: null, bytesMax });
  const media = { kind, bytesTotal: file.bytesTotal };
  return await judgeDuration(pool, probe, { file, media });
}

/** Images have less metadata before their size. */
const imageHeadBytesMax = 4 * 1024 ** 2;
const directoryBytesMax = 64 * 1024;

/** Null if the whole file has no size: then no image can be decoded either. */
async function findImageSize(file: RemoteFile): Promise<Size | 'too_far' | null> {
  const { first } = file;
  const known = imageSizeOf(first);
  if (known) return known;
  const directoryAt = tiffDirectoryOf(first);
  if (directoryAt !== null) {
    const end = directoryAt + directoryBytesMax;
    if (directoryAt < first.length || directoryAt >= (file.bytesTotal ?? end)) return null;
    await file.read({ start: directoryAt, end: Math.min(end, file.bytesTotal ?? end) });
    return tiffSizeOf(first, bytesFrom(file, directoryAt));
  }
  for (;;) {
    const head = bytesFrom(file, 0);
    const size = imageSizeOf(head);
    if (size || head.length >= (file.bytesTotal ?? Number.POSITIVE_INFINITY)) return size;
    if (head.length >= imageHeadBytesMax) return 'too_far';
    await file.read({ start: 0, end: head.length * 2 });
  }
}

/** The known bytes from `start` on, as far as they are contiguous. */
function bytesFrom({ pieces }: RemoteFile, start: number): Buffer {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const { start: from, bytes } of pieces) {
    if (at < from || at >= from + bytes.length) continue;
    parts.push(bytes.subarray(at - from));
    at = from + bytes.length;
  }
  return Buffer.concat(parts);
}

async function judgeDuration(
  pool: DurationPool,
  { accountId, signal, deadlineMs }: MaterialProbe,
  { file, media }: { file: RemoteFile; media: Omit<DurationInput, 'pieces'> },
): Promise<ProbeVerdict> {
  const { kind } = media;
  let reason: UnreachableReason = 'budget';
  let headerSeconds: number | null = null;
  let measuringMs = 0;
  for (let reads = 1; reads <= readsMax; reads += 1) {
    const { pieces } = file;
    const startedMs = monotonicMs();
    const result = await pool.measure({ file: { ...media, pieces }, accountId, signal });
    measuringMs += monotonicMs() - startedMs;
    if (result.outcome === 'measured') return valid(result.seconds);
    if (result.outcome === 'ambiguous') return valid(result.seconds, { isMeasured: false });
    if (result.outcome === 'unreadable') return unreadableFile(kind, result.reason, file);
    if (result.outcome === 'exhausted') return unreadableFile(kind, 'exhausted', file);
    if (result.outcome === 'abandoned') {
      reason = result.hadTurn ? 'not_measured' : 'no_turn';
      break;
    }
    headerSeconds = result.headerSeconds;
    try {
      await file.read(result);
    } catch (error) {
      reason = reasonOf(error, signal);
      break;
    }
  }
  // The time of the hosts ran out while we measured.
  if (signal.aborted && measuringMs > deadlineMs * ownShareMax) reason = 'no_turn';
  // If not all samples could be read, the header's duration counts for the limits, unless only our
  // load was why. It can be wrong on purpose, so nothing is priced by it.
  return headerSeconds === null || isOwnReason(reason)
    ? { outcome: 'unreachable', reason }
    : valid(headerSeconds, { isMeasured: false });
}

type UnreadableCause = UnreadableReason | 'exhausted';

function unreadableFile(
  kind: MaterialKind,
  cause: UnreadableCause,
  file: RemoteFile,
): ProbeVerdict {
  const found = detectFileType(file.first);
  const name = found?.name ?? 'a file';
  switch (cause) {
    case 'format':
      if (found?.media !== kind) return unreadable(kind, foundType(kind, file));
      return unreadable(kind, `${name} that is damaged or cut off`);
    case 'broken':
      return unreadable(kind, `${name} that is damaged or cut off`);
    case 'no_video_track':
      return unreadable(kind, `${name} without a video track`);
    case 'no_audio_track':
      return unreadable(kind, `${name} without an audio track`);
    case 'has_video_track':
      return unreadable(kind, 'a video');
    case 'no_length':
      return unreadable(kind, `${name} without a duration`);
    case 'exhausted':
      return unreadable(kind, `${name} with an index too large to read`);
  }
}

/** The detected type, or else the declared content type unless it is the expected one. */
function foundType(kind: MaterialKind, { first, contentType }: RemoteFile): string {
  const [declared = ''] = contentType?.toLowerCase().split(';') ?? [];
  const isMediaType = /^[a-z]+\/[a-z0-9.+-]{1,60}$/.test(declared.trim());
  const isExpectedType = declared.startsWith(`${kind}/`) || declared.includes('octet-stream');
  const declaredName = isMediaType && !isExpectedType ? declared.trim() : 'of an unknown type';
  return detectFileType(first)?.name ?? declaredName;
}
