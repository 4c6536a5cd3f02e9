/**
 * Guarantees that no provider edits a longer video than was paid for. The customer's URL can serve
 * another file after the create, or another one to an upstream, so each source is downloaded and
 * measured again, and the provider gets the URL of that copy.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { isPricedBelowMaximum } from '../../catalog/price.ts';
import type { EgressDownload } from '../../egress/egress.ts';
import { startDeadline } from '../../process/clock.ts';
import type { Provider } from '../../providers/provider.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import { findTask } from '../../tasks/store.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';
import { copyNameOf, deleteCopies, hasCopyQuota, type SourceCopies } from './source-copies.ts';

export type PinnedSources =
  | { readonly outcome: 'pinned'; readonly generation: Generation }
  /** Why the task must not be sent, for logs and admins. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Nothing is proven about the source. */
  | { readonly outcome: 'retry'; readonly detail: string };

/** For all sources of a task together. */
const pinMsMax = 120_000;
/** A host that failed this often counts as having no file. */
const hostAttemptsMax = 4;

/** Idempotent: a copy that exists is used again, under the same URL. */
export async function pinSources(
  lifecycle: LifecycleContext,
  { task, job }: { readonly task: Task; readonly job: Job },
  provider: Provider,
): Promise<PinnedSources> {
  const { generation, pricedSeconds } = task;
  const isFree = pricedSeconds === null || !isPricedBelowMaximum(generation, pricedSeconds);
  if (isFree || provider.cutsToPrice) return { outcome: 'pinned', generation };
  const canReachCopies =
    provider.downloadsMaterials || lifecycle.settings.providerCallbackBaseUrl !== null;
  // Such a provider declines edits; `providers/reachable-copies.ts`. Never the customer's own URL.
  if (!canReachCopies) {
    return { outcome: 'refused', detail: `${provider.name} cannot fetch our copy of the source` };
  }
  const videoUrls: string[] = [];
  using deadline = startDeadline(pinMsMax);
  const { signal } = deadline;
  for (const [index, url] of generation.videoUrls.entries()) {
    const pinned = await pinSource(lifecycle, { task, job, index, url, pricedSeconds, signal });
    if ('outcome' in pinned) return pinned;
    videoUrls.push(pinned.url);
  }
  // The end of a task deletes only the copies that exist by then.
  const current = await findTask(lifecycle.db, task.id);
  if (!current || isFinal(current)) {
    await deleteCopies(lifecycle, task);
    throw new LeaseLost(job);
  }
  return { outcome: 'pinned', generation: { ...generation, videoUrls } };
}

type Source = {
  readonly task: Task;
  readonly job: Job;
  readonly index: number;
  readonly url: string;
  readonly pricedSeconds: number;
  readonly signal: AbortSignal;
};

type PinnedSource = { readonly url: string } | Exclude<PinnedSources, { outcome: 'pinned' }>;

async function pinSource(lifecycle: LifecycleContext, source: Source): Promise<PinnedSource> {
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
  { egress, sources, settings }: LifecycleContext,
  { task, job, index, url, pricedSeconds, signal }: Source,
  copy: Parameters<LifecycleContext['sources']['find']>[0],
): Promise<PinnedSource> {
  const field = `input.video_urls[${index}]`;
  const file = join(settings.tempFolder, `source-${randomUUID()}`);
  try {
    await mkdir(settings.tempFolder, { recursive: true });
    const limits = { deadlineMs: pinMsMax, bytesMax: sources.bytesMax, signal };
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
