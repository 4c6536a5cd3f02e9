/**
 * Brings a finished video into our storage, at once and whole: an upstream's address dies within
 * hours, and is never handed out. Keys are fixed by task and attempt, so doing it twice stores it
 * once.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../crash-point.ts';
import type { ResultSource, StatusAnswer } from '../providers/provider.ts';
import { resultKey } from '../storage/storage.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { Result, Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';

/** 4k at 15 s is about 150 MB; more than this is not a video we asked for. */
const resultBytesMax = 2 * 1024 ** 3;
const downloadMsMax = 5 * 60_000;
/** Each holds a socket and a file; more would only share the same line. */
export const downloadsMax = 32;

export type Collected =
  | { readonly outcome: 'collected'; readonly result: Result }
  | { readonly outcome: 'failed'; readonly detail: string };

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
      lastFrame = keyOf('last-frame.jpg');
      const picture = { source: answer.lastFrame, key: lastFrame, type: 'image/jpeg' };
      await store(lifecycle, collection, picture);
    }
    crashPoint('collect.stored');
    return { outcome: 'collected', result: { video, lastFrame } };
  } catch (error) {
    lifecycle.log.warn({ taskId: task.id, error }, 'the result could not be collected');
    return { outcome: 'failed', detail: (error as Error).message };
  } finally {
    leave();
  }
}

async function store(
  lifecycle: Lifecycle,
  { signal }: Collection,
  { source, key, type }: { source: ResultSource; key: string; type: string },
): Promise<void> {
  const file = 'file' in source ? source.file : await fetchResult(lifecycle, source, key, signal);
  if ((await stat(file)).size === 0) throw new Error('the result is empty');
  await lifecycle.storage.put({ key, file, contentType: type });
  // Only now: what could not be stored (a full disk) is stored at the next try.
  await rm(file, { force: true });
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
    throw new Error(`the result could not be fetched: ${answer.detail}`);
  }
  const { url } = source;
  const deadlineMs = downloadMsMax;
  const answer = await egress.download({ url, kind: 'result', deadlineMs, ...limits });
  if (answer.outcome === 'saved') return into;
  const what = answer.outcome === 'answered' ? `status ${answer.status}` : answer.error;
  throw new Error(`the result could not be fetched: ${what}`);
}
