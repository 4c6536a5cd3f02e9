/**
 * How a request is doing, and where its video is. fal has no state for a failure: a failed request
 * is completed too, and only its result tells. Whatever keeps us from reading says nothing about
 * the request: it stays pending.
 */
import { sleep } from '../../clock.ts';
import type { StatusResult } from '../provider.ts';
import { asNumber, asRecord, asText, asUrl } from '../toolkit/response-values.ts';
import { type ReadResult, throttledStatus } from '../toolkit/throttled-get.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { FalCalls } from './calls.ts';
import {
  detailOf,
  failureFor,
  isPlainServerError,
  isStillInProgress,
  readError,
} from './errors.ts';
import type { Paths } from './operation.ts';

const pollSeconds = { IN_QUEUE: 10, IN_PROGRESS: 5, error: 15 } as const;
/** A server error without a type may be a gateway's: it has to be said more than once. */
const resultReads = 3;
const resultReadDelayMs = 1_000;

export async function pollRequest(
  calls: FalCalls,
  paths: Paths,
  signal: AbortSignal,
): Promise<StatusResult> {
  const result = await calls.get(paths.status, signal);
  // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
  if (signal.aborted) return pending(pollSeconds.error);
  const status = readStatus(result);
  if (typeof status !== 'string') return status;
  switch (status) {
    case 'IN_QUEUE':
    case 'IN_PROGRESS':
      return pending(pollSeconds[status]);
    case 'COMPLETED':
      return await fetchResult(calls, paths, signal);
    default:
      return pendingWithAlert(`unknown status ${JSON.stringify(status.slice(0, 100))}`);
  }
}

/** The status, or what it means that there is none to be read. */
function readStatus(result: ReadResult): string | StatusResult {
  if (result.kind === 'busy') return throttledStatus(result);
  if (result.kind !== 'answered') return pendingWithAlert(result.detail);
  if (result.status >= 200 && result.status < 300) {
    return asText(asRecord(result.json)?.status) ?? pendingWithAlert('the answer is no status');
  }
  return errorResult(result);
}

function errorResult(response: UpstreamResponse): StatusResult {
  const error = readError(response);
  const detail = detailOf(error, `HTTP ${response.status}`);
  // In fal's own words only: a proxy's 404 does not mean that the request is gone.
  if (response.status === 404 && error) return { outcome: 'lost', detail };
  return response.status === 429 ? pending(pollSeconds.error) : pendingWithAlert(detail);
}

async function fetchResult(
  calls: FalCalls,
  paths: Paths,
  signal: AbortSignal,
): Promise<StatusResult> {
  for (let reads = 1; ; reads++) {
    const result = await calls.get(paths.response, signal);
    if (signal.aborted) return pending(pollSeconds.error);
    if (result.kind === 'busy') return throttledStatus(result);
    if (result.kind !== 'answered') return pendingWithAlert(result.detail);
    if (reads === resultReads || !isPlainServerError(result)) return parseResult(result);
    await sleep(resultReadDelayMs, signal);
  }
}

function parseResult(response: UpstreamResponse): StatusResult {
  const { status } = response;
  if (status >= 200 && status < 300) return videoResult(response.json);
  if (isStillInProgress(response)) return pending(pollSeconds.IN_PROGRESS);
  // Our key, our pace, or nobody's own words: that is not how the request ended.
  const error = readError(response);
  const isAboutUs = [401, 403, 408, 429].includes(status) && error?.type === '';
  if (!error || isAboutUs) return errorResult(response);
  return { outcome: 'failed', ...failureFor(response) };
}

/** At a public address: it is fetched through the guard, without our key. */
function videoResult(json: unknown): StatusResult {
  const output = asRecord(json);
  if (!output) return pendingWithAlert('the result cannot be read');
  const video = asRecord(output.video) ?? asRecord(asList(output.videos)?.[0]);
  const url = asUrl(video?.url);
  if (!url) return { outcome: 'failed', reason: 'failed', detail: 'completed without a video' };
  const outputSeconds = asNumber(video?.duration);
  return { outcome: 'completed', video: { url }, ...(outputSeconds ? { outputSeconds } : {}) };
}

const asList = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

const pending = (seconds: number): StatusResult => ({
  outcome: 'pending',
  pollAfterSeconds: seconds,
});

const pendingWithAlert = (alert: string): StatusResult => ({
  outcome: 'pending',
  pollAfterSeconds: pollSeconds.error,
  alert,
});
