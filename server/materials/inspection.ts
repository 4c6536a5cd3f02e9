/**
 * One material, looked at: as few bytes as tell what it is, how large and how long. Ends in a
 * verdict whatever the host sends and whatever the bytes are.
 */
import { elapsedMs } from '../clock.ts';
import type { Egress } from '../egress/egress.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { recogniseFile } from './file-kind.ts';
import type { Material, MaterialKind } from './material.ts';
import type { Measurable, Unreadable } from './measure.ts';
import type { MeasuringPool } from './measuring-pool.ts';
import { type NotReachedReason, reasonOf } from './not-reached.ts';
import type { RecentVerdicts } from './recent-verdicts.ts';
import { openRemoteFile, type RemoteFile } from './remote-file.ts';
import type { SilentHosts } from './silent-hosts.ts';
import { notReadable, sound, tooLarge, type Verdict } from './verdict.ts';

export type Inspector = {
  readonly egress: Egress;
  readonly pool: MeasuringPool;
  readonly silentHosts: SilentHosts;
  readonly recent: RecentVerdicts;
};

export type Inspection = {
  readonly material: Material;
  readonly accountId: string;
  readonly bytesMax: number;
  /** Of the whole create. */
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
};

/** Of one file: all of an audio file, and the index of any video that has one. */
const fileBytesMax = 16 * 1024 ** 2;
/** Requests for one file, the first included. */
const readsMax = 12;

export async function inspect(inspector: Inspector, inspection: Inspection): Promise<Verdict> {
  const { silentHosts, recent } = inspector;
  const { material, accountId, signal } = inspection;
  const known = recent.find(material);
  if (known?.verdict.outcome === 'sound') return known.verdict;
  const knock = { url: material.url, accountId };
  if (silentHosts.isSilent(knock)) return { outcome: 'not_reached', reason: 'silent_host' };
  const sinceMs = elapsedMs();
  try {
    const file = await open(inspector, inspection);
    silentHosts.answered(knock);
    try {
      const isKnown = known !== null && known.stamp !== null && known.stamp === file.stamp;
      const verdict = isKnown ? known.verdict : await judge(inspector.pool, inspection, file);
      if (isOfFile(verdict, signal)) recent.keep(material, { verdict, stamp: file.stamp });
      return verdict;
    } finally {
      file.close();
    }
  } catch (error) {
    const reason = reasonOf(error, signal);
    // Half of the time is a fair chance to answer; who was asked later than that had none.
    const isLate = reason === 'timeout' && elapsedMs() - sinceMs > inspection.deadlineMs / 2;
    if (isLate || reason === 'dns' || reason === 'connect') {
      silentHosts.unanswered({ ...knock, sinceMs });
    }
    return { outcome: 'not_reached', reason };
  }
}

/** Whether it says something of the file: not of what else we were doing, or its host was. */
const isOfFile = (verdict: Verdict, { aborted }: AbortSignal): boolean =>
  verdict.outcome !== 'not_reached' || (verdict.reason === 'not_measured' && !aborted);

function open({ egress }: Inspector, inspection: Inspection): Promise<RemoteFile> {
  const { material, budget, bytesMax, signal, deadlineMs } = inspection;
  return openRemoteFile({
    egress,
    url: material.url,
    signal,
    deadlineMs,
    bytesMax,
    budget: createByteBudget(fileBytesMax, budget),
  });
}

async function judge(
  pool: MeasuringPool,
  inspection: Inspection,
  file: RemoteFile,
): Promise<Verdict> {
  const { material, bytesMax } = inspection;
  const { kind } = material;
  if ((file.bytesTotal ?? 0) > bytesMax) {
    return tooLarge(kind, { bytes: file.bytesTotal, bytesMax });
  }
  if (file.first.length === 0) return notReadable(kind, 'empty');
  const found = recogniseFile(file.first);
  if (kind === 'image') {
    return found?.media === 'image' ? sound(null) : notReadable(kind, nameOf(kind, file));
  }
  // Video or audio is for the tracks to say.
  if (found?.media === null || found?.media === 'image') return notReadable(kind, found.name);
  if (file.bytesTotal === null) await file.readWhole();
  if (file.bytesTotal === null) return tooLarge(kind, { bytes: null, bytesMax });
  const measuring = { kind, bytesTotal: file.bytesTotal };
  return await judgeLength(pool, inspection, { file, measuring });
}

async function judgeLength(
  pool: MeasuringPool,
  { accountId, signal }: Inspection,
  { file, measuring }: { file: RemoteFile; measuring: Omit<Measurable, 'pieces'> },
): Promise<Verdict> {
  const { kind } = measuring;
  let reason: NotReachedReason = 'budget';
  let headerSeconds: number | null = null;
  for (let reads = 1; reads <= readsMax; reads += 1) {
    const { pieces } = file;
    const answer = await pool.measure({ file: { ...measuring, pieces }, accountId, signal });
    if (answer.outcome === 'measured') return sound(answer.seconds);
    if (answer.outcome === 'unreadable') return unreadable(kind, answer.why, file);
    if (answer.outcome === 'exhausted') return unreadable(kind, 'exhausted', file);
    if (answer.outcome === 'abandoned') {
      reason = 'not_measured';
      break;
    }
    headerSeconds = answer.headerSeconds;
    try {
      await file.read(answer);
    } catch (error) {
      reason = reasonOf(error, signal);
      break;
    }
  }
  // Where the samples could not all be counted, the word of the header stands.
  return headerSeconds === null ? { outcome: 'not_reached', reason } : sound(headerSeconds);
}

type Why = Unreadable | 'exhausted';

function unreadable(kind: MaterialKind, why: Why, file: RemoteFile): Verdict {
  const found = recogniseFile(file.first);
  const name = found?.name ?? 'a file';
  switch (why) {
    case 'format':
      if (found?.media !== kind) return notReadable(kind, nameOf(kind, file));
      return notReadable(kind, `${name} that is damaged or cut off`);
    case 'broken':
      return notReadable(kind, `${name} that is damaged or cut off`);
    case 'no_picture':
      return notReadable(kind, `${name} without a picture`);
    case 'no_sound':
      return notReadable(kind, `${name} without sound`);
    case 'picture':
      return notReadable(kind, 'a video');
    case 'no_length':
      return notReadable(kind, `${name} that tells no length`);
    case 'exhausted':
      return notReadable(kind, `${name} with an index too large to read`);
  }
}

/** What the bytes are; failing that, what their server calls them, unless it calls them right. */
function nameOf(kind: MaterialKind, { first, contentType }: RemoteFile): string {
  const [declared = ''] = contentType?.toLowerCase().split(';') ?? [];
  const isTelling = /^[a-z]+\/[a-z0-9.+-]{1,60}$/.test(declared.trim());
  const isWanted = declared.startsWith(`${kind}/`) || declared.includes('octet-stream');
  const named = isTelling && !isWanted ? declared.trim() : 'of no kind we know';
  return recogniseFile(first)?.name ?? named;
}
