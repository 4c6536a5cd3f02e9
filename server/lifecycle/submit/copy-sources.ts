/**
 * Guarantees that no provider edits a longer video than was paid for, nor takes one as a reference
 * whose seconds are priced. The customer's URL can serve
 * another file after the create, or another one to an upstream, so each source is downloaded and
 * measured again, and the provider gets the URL of that copy. A copy is kept while its task is
 * unfinished; the sweep deletes one that a crash left behind.
 */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { isPricedBelowMaximum } from '../../catalog/price.ts';
import type { Queryable } from '../../database/database.ts';
import type { Egress, EgressDownload } from '../../egress/egress.ts';
import type { KeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import type { Materials } from '../../materials/materials.ts';
import { startDeadline } from '../../process/clock.ts';
import type { VideoLengths } from '../../providers/posters/video-lengths.ts';
import type { Provider } from '../../providers/provider.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import type { Storage } from '../../storage/storage.ts';
import { findTask, findUnfinishedEdits } from '../../tasks/store.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import type { Log } from '../../telemetry/log.ts';

type CopyDeps = {
  readonly db: Queryable;
  readonly egress: Egress;
  readonly storage: Storage;
  readonly sources: SourceCopies;
  readonly log: Log;
  readonly settings: {
    readonly tempFolder: string;
    readonly providerCallbackBaseUrl: string | null;
  };
};

export type CopiedSources =
  | { readonly outcome: 'copied'; readonly generation: Generation }
  /** Why the task must not be sent, for logs and admins. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Nothing is proven about the source. */
  | { readonly outcome: 'retry'; readonly detail: string };

/** For all sources of a task together. */
const copyMsMax = 120_000;
/** A host that failed this often counts as having no file. */
const hostAttemptsMax = 4;

/** Idempotent: a copy that exists is used again, under the same URL. */
export async function copySources(
  lifecycle: CopyDeps,
  { task, job }: { readonly task: Task; readonly job: Job },
  provider: Provider,
): Promise<CopiedSources> {
  const { generation } = task;
  const pricedSeconds = task.pricedSeconds ?? generation.inputSecondsMax ?? null;
  const isFree = pricedSeconds === null || !isPricedBelowMaximum(pricedSeconds);
  if (isFree || provider.cutsToPrice) return { outcome: 'copied', generation };
  const canReachCopies =
    provider.downloadsMaterials || lifecycle.settings.providerCallbackBaseUrl !== null;
  // Such a provider declines edits; `providers/reachable-copies.ts`. Never the customer's own URL.
  if (!canReachCopies) {
    return { outcome: 'refused', detail: `${provider.name} cannot fetch our copy of the source` };
  }
  const videoUrls: string[] = [];
  using deadline = startDeadline(copyMsMax);
  const { signal } = deadline;
  for (const [index, url] of generation.videoUrls.entries()) {
    const copied = await copySource(lifecycle, { task, job, index, url, pricedSeconds, signal });
    if ('outcome' in copied) return copied;
    videoUrls.push(copied.url);
  }
  // The end of a task deletes only the copies that exist by then.
  const current = await findTask(lifecycle.db, task.id);
  if (!current || isFinal(current)) {
    await deleteCopies(lifecycle, task);
    throw new LeaseLost(job);
  }
  return { outcome: 'copied', generation: { ...generation, videoUrls } };
}

type Source = {
  readonly task: Task;
  readonly job: Job;
  readonly index: number;
  readonly url: string;
  readonly pricedSeconds: number;
  readonly signal: AbortSignal;
};

type CopiedSource = { readonly url: string } | Exclude<CopiedSources, { outcome: 'copied' }>;

async function copySource(lifecycle: CopyDeps, source: Source): Promise<CopiedSource> {
  const { sources } = lifecycle;
  const { task, index, signal } = source;
  const copy = {
    ...copyNameOf(task, index),
    expiresAtSeconds: Math.ceil(task.deadlineAt.getTime() / 1000),
  };
  const existing = await sources.find(copy);
  if (existing) return existing;
  const release = await sources.slots.acquire(task.accountId, signal).catch(() => null);
  if (!release) return { outcome: 'retry', detail: 'too many sources of the account are fetched' };
  try {
    if (await hasCopyQuota(sources, task.accountId)) {
      return await saveCopy(lifecycle, source, copy);
    }
    // Its other copies must not keep tasks of the account waiting for each other.
    await deleteCopies(lifecycle, task);
    return { outcome: 'retry', detail: 'the account has too many copies of sources' };
  } finally {
    release();
  }
}

async function saveCopy(
  { egress, sources, settings }: CopyDeps,
  { task, job, index, url, pricedSeconds, signal }: Source,
  copy: Parameters<SourceCopies['find']>[0],
): Promise<CopiedSource> {
  const field = `input.video_urls[${index}]`;
  const file = join(settings.tempFolder, `source-${randomUUID()}`);
  try {
    const limits = { deadlineMs: copyMsMax, bytesMax: sources.bytesMax, signal };
    const saved = await egress.download({ url, kind: 'material', into: file, ...limits });
    if (saved.outcome !== 'saved') {
      const outcome = canRetry(saved, job) ? 'retry' : 'refused';
      return { outcome, detail: `${field} could not be fetched again` };
    }
    const seconds = await measureSource(sources, { accountId: task.accountId, file, signal });
    if (seconds === null || seconds > pricedSeconds) {
      const length = seconds === null ? 'of unknown length' : `${seconds.toFixed(1)} s long`;
      const detail = `${field} is ${length} now; ${pricedSeconds} s were paid for`;
      return { outcome: 'refused', detail };
    }
    return await sources.save({ ...copy, file });
  } finally {
    await rm(file, { force: true });
  }
}

/** Two parsers of the same file may differ by a frame, and round it. */
const parserSlackSeconds = 0.5;

/** The longer of what our parser and FFmpeg find; null if one of them finds none. */
export async function measureSource(
  sources: Pick<SourceCopies, 'measureVideo' | 'measureShown'>,
  source: Parameters<SourceCopies['measureVideo']>[0],
): Promise<number | null> {
  const seconds = await sources.measureVideo(source);
  if (seconds === null) return null;
  const shown = await sources.measureShown(source.file, source.signal);
  if (shown === null) return null;
  return shown !== 'unavailable' && shown > seconds + parserSlackSeconds ? shown : seconds;
}

const passingErrors = ['dns', 'connect', 'tls', 'timeout', 'closed', 'protocol'];
const passingStatuses = [408, 425, 429];

/** Our own limits never fail a task; the errors of a host that may pass do after some attempts. */
function canRetry(result: Exclude<EgressDownload, { outcome: 'saved' }>, job: Job): boolean {
  if (result.outcome === 'failed' && ['no_slot', 'cancelled'].includes(result.error)) return true;
  const isPassing =
    result.outcome === 'failed'
      ? passingErrors.includes(result.error)
      : result.status >= 500 || passingStatuses.includes(result.status);
  return isPassing && job.attempts + 1 < hostAttemptsMax;
}

type CopyName = { readonly accountId: string; readonly name: string };
type Copy = CopyName & { readonly expiresAtSeconds: number };

export type SourceCopies = Pick<Materials, 'measureVideo'> & {
  /** As FFmpeg shows the file. */
  readonly measureShown: VideoLengths['measure'];
  readonly shapeOf: VideoLengths['shapeOf'];
  /** Per copy. */
  readonly bytesMax: number;
  /** Bounds how many sources of an account are downloaded at once. */
  readonly slots: KeyedSemaphore;
  find(copy: Copy): Promise<{ readonly url: string } | null>;
  save(copy: Copy & { readonly file: string }): Promise<{ readonly url: string }>;
  copyKey(copy: CopyName): string;
  /** Of all copies for an account. */
  bytesOf(accountId: string): Promise<number>;
};

/** Per account and process. */
export const sourceDownloadsMax = 4;
const accountBytesMax = 2 * 1024 ** 3;

/** Whether an account may have one more copy now. One copy is always allowed. */
async function hasCopyQuota(sources: SourceCopies, accountId: string): Promise<boolean> {
  const bytes = await sources.bytesOf(accountId);
  return bytes === 0 || bytes + sources.bytesMax <= accountBytesMax;
}

type Edit = Pick<Task, 'id' | 'accountId'>;

const copyNameOf = ({ id, accountId }: Edit, index: number): CopyName => ({
  accountId,
  name: `${id} video ${index}`,
});

const copyKeysOf = (sources: SourceCopies, edit: Edit, count: number): string[] =>
  Array.from({ length: count }, (_, index) => sources.copyKey(copyNameOf(edit, index)));

/** The keys that unfinished tasks may still use. */
export async function findUsedCopies(db: Queryable, sources: SourceCopies): Promise<Set<string>> {
  const edits = await findUnfinishedEdits(db);
  return new Set(edits.flatMap((edit) => copyKeysOf(sources, edit, edit.videos)));
}

/** Never fails: what cannot be deleted now is swept later. */
export async function deleteCopies(
  { sources, storage, log }: { sources: SourceCopies; storage: Storage; log: Log },
  task: Task,
): Promise<void> {
  if (task.pricedSeconds === null) return;
  try {
    await storage.remove(copyKeysOf(sources, task, task.generation.videoUrls.length));
  } catch (error) {
    log.warn({ taskId: task.id, error }, 'source copies not deleted');
  }
}
