/**
 * Copies a finished video into the storage, completely or not at all: an upstream's URL expires
 * within hours and is never given to clients. Storage keys are fixed by task and attempt, so
 * collecting twice stores one file.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CredentialState, ResultStatement } from '../credentials/credentials.ts';
import { type SaveInto, saveStream } from '../egress/save-stream.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { Posters } from '../providers/posters/posters.ts';
import { isPreview } from '../providers/preview/preview.ts';
import type { ResultSource, StatusResult } from '../providers/provider.ts';
import { isErrorPage } from '../providers/toolkit/downloads.ts';
import { resultKey } from '../storage/storage.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { Result, Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

/** A 4k video of 15 s has about 150 MB; anything larger than this is no valid result. */
const resultBytesMax = 2 * 1024 ** 3;
const downloadTimeoutMs = 5 * 60_000;
/** After this many failures the video is delivered without its last frame. */
const frameAttemptsMax = 3;
/** Each download holds a socket and a file; more would only share the same bandwidth. */
export const downloadsMax = 32;

export type CollectResult =
  | {
      readonly outcome: 'collected';
      readonly result: Result;
      /** Of the video, as its header says; null if it was not read. */
      readonly seconds: number | null;
    }
  /** `isLocalFailure`: this machine's disk failed, which says nothing about the provider. */
  | { readonly outcome: 'failed'; readonly isLocalFailure: boolean; readonly detail: string };

/** The provider's result cannot be fetched or is no video. */
class ResultUnavailable extends Error {}

type CollectOptions = {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly status: StatusResult & { outcome: 'completed' };
  readonly signal: AbortSignal;
};

export async function collect(
  lifecycle: LifecycleContext,
  options: CollectOptions,
): Promise<CollectResult> {
  const { task, attempt, status } = options;
  const storageKey = (name: string) =>
    resultKey({ taskId: task.id, attempt: attempt.number, name });
  let release = () => {};
  try {
    release = await lifecycle.downloadSlots.acquire('results', options.signal);
    const video = storageKey('video.mp4');
    const posterKey = storageKey('poster.jpg');
    const stored = await storeVideo(lifecycle, options, { key: video, posterKey });
    const { poster, seconds, credentials } = stored;
    let lastFrame: string | null = null;
    if (status.lastFrame && task.generation.returnLastFrame) {
      const key = storageKey('last-frame.jpg');
      const frame = { source: status.lastFrame, key, type: 'image/jpeg' };
      lastFrame = (await storeOptional(lifecycle, options, frame)) ? key : null;
    }
    crashPoint('collect.stored');
    return { outcome: 'collected', result: { video, lastFrame, poster, credentials }, seconds };
  } catch (error) {
    const isLocalFailure = !(error instanceof ResultUnavailable);
    lifecycle.log.warn({ taskId: task.id, local: isLocalFailure, error }, 'result not collected');
    await deleteResultFiles(status);
    return { outcome: 'failed', isLocalFailure, detail: (error as Error).message };
  } finally {
    release();
  }
}

/** Returns the key of its poster, or null, its length, and whether it was signed. */
async function storeVideo(
  lifecycle: LifecycleContext,
  options: CollectOptions,
  { key, posterKey }: { readonly key: string; readonly posterKey: string },
): Promise<{
  readonly poster: string | null;
  readonly seconds: number | null;
  readonly credentials: CredentialState;
}> {
  const { status, signal } = options;
  const source = status.video;
  const statement = statementOf(options, key);
  const video = lifecycle.credentials.newVideo(newFile(lifecycle), statement);
  const { file } = video;
  let made: Awaited<ReturnType<Posters['make']>> = null;
  let seconds: number | null;
  let moved = false;
  try {
    if ('file' in source) await requireContent(source.file);
    await fetchResult(lifecycle, { source, into: video, signal });
    made = (await lifecycle.posters?.make(file, signal)) ?? null;
    seconds = made?.seconds ?? (await editSeconds(lifecycle, options, file));
    if (video.saved.state.state === 'unsigned') lifecycle.measurements.countUnsigned();
    crashPoint('collect.signed');
    const content = { key, file, written: video.saved, mayMove: true, contentType: 'video/mp4' };
    ({ moved = false } = await lifecycle.storage.put({ ...content, signal }));
  } finally {
    await video.close();
    if (!moved) await rm(file, { force: true });
    if ('file' in source) await rm(source.file, { force: true });
  }
  const bytes = made?.bytes;
  const poster = bytes ? await storePoster(lifecycle, options, { key: posterKey, bytes }) : null;
  return { poster, seconds, credentials: video.saved.state };
}

/** Returns its key; null if it could not be stored, which costs the task nothing. */
async function storePoster(
  lifecycle: LifecycleContext,
  options: CollectOptions,
  { key, bytes }: { readonly key: string; readonly bytes: Uint8Array },
): Promise<string | null> {
  const { task, signal } = options;
  try {
    const signed = lifecycle.credentials.signImage(bytes, statementOf(options, key));
    if (signed.state.state === 'unsigned') lifecycle.measurements.countUnsigned();
    const content = Readable.from([signed.bytes]);
    await lifecycle.storage.put({ key, content, contentType: 'image/jpeg', signal });
    return key;
  } catch (error) {
    lifecycle.log.warn({ taskId: task.id, error }, 'poster not stored');
    return null;
  }
}

/** The same however often the attempt is collected. */
const statementOf = ({ task, attempt }: CollectOptions, storageKey: string): ResultStatement => ({
  model: task.model,
  sourceType: isPreview(attempt.provider)
    ? 'algorithmicMedia'
    : task.generation.videoUrls.length > 0
      ? // An edit, an extension, or a reference that may be seen in the result.
        'compositeWithTrainedAlgorithmicMedia'
      : 'trainedAlgorithmicMedia',
  at: attempt.acceptedAt ?? attempt.startedAt,
  taskId: task.id,
  storageKey,
});

/** Of an edit without a poster: its length follows from files of the customer. */
async function editSeconds(
  { sources }: LifecycleContext,
  { task, signal }: CollectOptions,
  file: string,
): Promise<number | null> {
  if (task.pricedSeconds === null) return null;
  const seconds = await sources.measureShown(file, signal).catch(() => null);
  return seconds === 'unavailable' ? null : seconds;
}

/** docs/spec.md 2.1: the last frame is optional, so a missing one does not fail the task. */
async function storeOptional(
  lifecycle: LifecycleContext,
  options: CollectOptions,
  frame: Parameters<typeof store>[2],
): Promise<boolean> {
  try {
    await store(lifecycle, options, frame);
    return true;
  } catch (error) {
    const { attempt, task, signal } = options;
    const isExhausted =
      error instanceof ResultUnavailable && attempt.collectFailures + 1 >= frameAttemptsMax;
    if (signal.aborted || !isExhausted) throw error;
    lifecycle.log.warn({ taskId: task.id, error }, 'last frame not collected');
    return false;
  }
}

async function store(
  lifecycle: LifecycleContext,
  options: CollectOptions,
  { source, key, type }: { source: ResultSource; key: string; type: string },
): Promise<void> {
  const { signal } = options;
  const file = await toLocalFile(lifecycle, source, signal);
  let made: string | null = null;
  try {
    const signed = await lifecycle.credentials.signImageFile(file, statementOf(options, key));
    if (signed.isNew) made = signed.file;
    if (signed.state.state === 'unsigned') lifecycle.measurements.countUnsigned();
    // The writer of a file of another process may still have it open.
    const mayMove = signed.isNew || !('file' in source);
    await lifecycle.storage.put({ key, file: signed.file, mayMove, contentType: type, signal });
  } finally {
    if (made !== null) await rm(made, { force: true });
    await rm(file, { force: true });
  }
}

const newFile = ({ settings }: LifecycleContext): string =>
  // A unique name: a worker that lost its lease must not touch the file of its successor.
  join(settings.tempFolder, `result-${randomUUID()}`);

/** The caller deletes the file. Throws if the result cannot be fetched or is no video. */
export async function toLocalFile(
  lifecycle: LifecycleContext,
  source: ResultSource,
  signal: AbortSignal,
): Promise<string> {
  const file = 'file' in source ? source.file : newFile(lifecycle);
  try {
    if ('file' in source) await requireContent(file);
    else await fetchResult(lifecycle, { source, into: file, signal });
    return file;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

async function requireContent(file: string): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size === 0) throw emptyResult();
}

const emptyResult = () => new ResultUnavailable('the result is empty');

/** Deletes local files of a result that is not used; the next poll produces them again. */
export async function deleteResultFiles(status: StatusResult): Promise<void> {
  if (status.outcome !== 'completed') return;
  for (const source of [status.video, status.lastFrame]) {
    if (source && 'file' in source) await rm(source.file, { force: true });
  }
}

/** The caller deletes what was saved, also if this throws. */
async function fetchResult(
  lifecycle: LifecycleContext,
  { source, into, signal }: { source: ResultSource; into: SaveInto; signal: AbortSignal },
): Promise<void> {
  const limits = { into, bytesMax: resultBytesMax, signal };
  if ('file' in source) return void (await saveStream(createReadStream(source.file), into));
  if ('download' in source) {
    const download = await source.download(limits);
    if (download.saved && download.bytes === 0) throw emptyResult();
    if (download.saved) return;
    const { redirectUrl: url } = download;
    if (url !== undefined) return await fetchResult(lifecycle, { source: { url }, into, signal });
    throw new ResultUnavailable(`the result could not be fetched: ${download.detail}`);
  }
  const { url } = source;
  const deadlineMs = downloadTimeoutMs;
  const request = { url, kind: 'result', deadlineMs, ...limits } as const;
  const download = await lifecycle.egress.download(request);
  if (download.outcome === 'saved') {
    if (download.bytes === 0) throw emptyResult();
    if (!isErrorPage(download.contentType)) return;
    throw new ResultUnavailable(`the result is ${download.contentType}`);
  }
  const reason = download.outcome === 'response' ? `status ${download.status}` : download.error;
  throw new ResultUnavailable(`the result could not be fetched: ${reason}`);
}
