/**
 * Brings a finished video into our storage, at once and whole: an upstream's address dies within
 * hours, and is never handed out. Keys are fixed by task and attempt, so doing it twice stores it
 * once.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../crash-point.ts';
import type { ResultSource, StatusAnswer } from '../providers/provider.ts';
import { isPage } from '../providers/toolkit/downloads.ts';
import { resultKey } from '../storage/storage.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { Result, Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';

/** 4k at 15 s is about 150 MB; more than this is not a video we asked for. */
const resultBytesMax = 2 * 1024 ** 3;
const downloadMsMax = 5 * 60_000;
/** Then the video is handed out without it. */
const frameTriesMax = 3;
/** Each holds a socket and a file; more would only share the same line. */
export const downloadsMax = 32;

export type Collected =
  | { readonly outcome: 'collected'; readonly result: Result }
  /** `isOurs`: our own disk's doing, and no word about what the provider has for us. */
  | { readonly outcome: 'failed'; readonly isOurs: boolean; readonly detail: string };

/** What the provider has for us cannot be had, or is no video. */
class NotGiven extends Error {}

type Collection = {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly answer: StatusAnswer & { outcome: 'completed' };
  readonly signal: AbortSignal;
};

export async function collect(lifecycle: Lifecycle, collection: Collection): Promise<Collected> {
  const { task, attempt, answer } = collection;
  const keyOf = (name: string) => resultKey({ taskId: task.id, attempt: attempt.number, name });
  let leave = () => {};
  try {
    leave = await lifecycle.downloads.take('results', collection.signal);
    const video = keyOf('video.mp4');
    await store(lifecycle, collection, { source: answer.video, key: video, type: 'video/mp4' });
    let lastFrame: string | null = null;
    if (answer.lastFrame && task.generation.returnLastFrame) {
      const key = keyOf('last-frame.jpg');
      const picture = { source: answer.lastFrame, key, type: 'image/jpeg' };
      lastFrame = (await storeIfThere(lifecycle, collection, picture)) ? key : null;
    }
    crashPoint('collect.stored');
    return { outcome: 'collected', result: { video, lastFrame } };
  } catch (error) {
    const isOurs = !(error instanceof NotGiven);
    lifecycle.log.warn({ taskId: task.id, isOurs, error }, 'the result could not be collected');
    await dropFiles(answer);
    return { outcome: 'failed', isOurs, detail: (error as Error).message };
  } finally {
    leave();
  }
}

/** Spec 2.1: a last frame is given where it is available. It is no reason to lose the video. */
async function storeIfThere(
  lifecycle: Lifecycle,
  collection: Collection,
  picture: Parameters<typeof store>[2],
): Promise<boolean> {
  try {
    await store(lifecycle, collection, picture);
    return true;
  } catch (error) {
    const { attempt, task, signal } = collection;
    const isGivenUp = error instanceof NotGiven && attempt.uncollected + 1 >= frameTriesMax;
    if (signal.aborted || !isGivenUp) throw error;
    lifecycle.log.warn({ taskId: task.id, error }, 'the last frame could not be collected');
    return false;
  }
}

async function store(
  lifecycle: Lifecycle,
  { signal }: Collection,
  { source, key, type }: { source: ResultSource; key: string; type: string },
): Promise<void> {
  const file = 'file' in source ? source.file : await fetchResult(lifecycle, source, key, signal);
  if ((await sizeOf(file)) === 0) throw new NotGiven('the result is empty');
  await lifecycle.storage.put({ key, file, contentType: type });
  await rm(file, { force: true });
}

const sizeOf = async (file: string): Promise<number> =>
  (await stat(file).catch(() => ({ size: 0 }))).size;

/** What a provider left for us and we cannot use: the next look brings it anew. */
export async function dropFiles(answer: StatusAnswer): Promise<void> {
  if (answer.outcome !== 'completed') return;
  for (const source of [answer.video, answer.lastFrame]) {
    if (source && 'file' in source) await rm(source.file, { force: true });
  }
}

async function fetchResult(
  { egress, settings }: Lifecycle,
  source: Exclude<ResultSource, { readonly file: string }>,
  key: string,
  signal: AbortSignal,
): Promise<string> {
  await mkdir(settings.scratchFolder, { recursive: true });
  const into = join(settings.scratchFolder, key.replaceAll('/', '-'));
  const limits = { into, bytesMax: resultBytesMax, signal };
  if ('download' in source) {
    const answer = await source.download(limits);
    if (answer.saved) return into;
    throw new NotGiven(`the result could not be fetched: ${answer.detail}`);
  }
  const { url } = source;
  const deadlineMs = downloadMsMax;
  const answer = await egress.download({ url, kind: 'result', deadlineMs, ...limits });
  if (answer.outcome === 'saved' && !isPage(answer.contentType)) return into;
  await rm(into, { force: true });
  if (answer.outcome === 'saved') throw new NotGiven(`the result is ${answer.contentType}`);
  const what = answer.outcome === 'answered' ? `status ${answer.status}` : answer.error;
  throw new NotGiven(`the result could not be fetched: ${what}`);
}
