/**
 * Guarantees that no provider edits a longer video than was paid for. The customer's URL can serve
 * another file after the create, or another one to an upstream, so each source is downloaded and
 * measured again, and the provider gets the URL of that copy.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { isPricedBelowMaximum } from '../catalog/price.ts';
import { startDeadline } from '../clock.ts';
import type { Provider } from '../providers/provider.ts';
import type { Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

export type PinnedSources =
  | { readonly outcome: 'pinned'; readonly generation: Generation }
  /** Why the task must not be sent, for logs and admins. */
  | { readonly outcome: 'refused'; readonly detail: string };

/** For all sources of a task together. */
const pinMsMax = 120_000;

/** Idempotent: a copy that exists is used again, under the same URL. */
export async function pinSources(
  lifecycle: LifecycleContext,
  task: Task,
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
    const pinned = await pinSource(lifecycle, { task, index, url, pricedSeconds, signal });
    if ('detail' in pinned) return { outcome: 'refused', detail: pinned.detail };
    videoUrls.push(pinned.url);
  }
  return { outcome: 'pinned', generation: { ...generation, videoUrls } };
}

type Source = {
  readonly task: Task;
  readonly index: number;
  readonly url: string;
  readonly pricedSeconds: number;
  readonly signal: AbortSignal;
};

async function pinSource(
  { egress, sources, settings }: LifecycleContext,
  { task, index, url, pricedSeconds, signal }: Source,
): Promise<{ readonly url: string } | { readonly detail: string }> {
  const name = `${task.id} video ${index}`;
  const expiresAtSeconds = Math.ceil(task.deadlineAt.getTime() / 1000);
  const existing = await sources.find({ name, expiresAtSeconds });
  if (existing) return existing;
  const field = `input.video_urls[${index}]`;
  const file = join(settings.tempFolder, `source-${randomUUID()}`);
  try {
    await mkdir(settings.tempFolder, { recursive: true });
    const limits = { deadlineMs: pinMsMax, bytesMax: sources.bytesMax, signal };
    const saved = await egress.download({ url, kind: 'material', into: file, ...limits });
    if (saved.outcome !== 'saved') return { detail: `${field} could not be fetched again` };
    const seconds = await sources.measureVideo({ accountId: task.accountId, file, signal });
    if (seconds === null || seconds > pricedSeconds) {
      const length = seconds === null ? 'of unknown length' : `${seconds} s long`;
      return { detail: `${field} is ${length} now; ${pricedSeconds} s were paid for` };
    }
    return await sources.save({ name, file, expiresAtSeconds });
  } finally {
    await rm(file, { force: true });
  }
}
