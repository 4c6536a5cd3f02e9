/**
 * Polls a fal request. fal has no status for a failure: a failed request is `COMPLETED` too, and
 * only its result says so.
 */
import { sleep } from '../../process/clock.ts';
import type { PollTurn, StatusResult } from '../provider.ts';
import { type OperationReading, statusResultOf, withCost } from '../toolkit/async-adapter.ts';
import type { Client } from '../toolkit/client.ts';
import { asNumber, asRecord, asText, asUrl } from '../toolkit/response-values.ts';
import { failed, pending, pendingWithAlert, toStatusResult } from '../toolkit/status-result.ts';
import { isSuccess, type UpstreamResponse } from '../toolkit/upstream.ts';
import {
  costOf,
  errors,
  failureFor,
  isInputRefusal,
  isPlainServerError,
  isStillInProgress,
  readError,
} from './errors.ts';
import type { FalPaths } from './operation.ts';

const states = { IN_QUEUE: 'queued', IN_PROGRESS: 'running', COMPLETED: 'completed' } as const;
/** A server error without a type may be a gateway's, so it must occur this often in a row. */
const resultReads = 3;
const resultReadDelayMs = 1_000;

export async function pollRequest(
  client: Client,
  paths: FalPaths,
  turn: PollTurn,
): Promise<StatusResult> {
  const { signal } = turn;
  const result = await client.read(paths.status, turn);
  const reading = result.kind === 'response' ? readOperation(result) : undefined;
  if (reading?.state === 'completed' && !signal.aborted) {
    return await readResult(client, paths, turn);
  }
  return toStatusResult(result, { ...errors, signal, success: () => statusResultOf(reading) });
}

export function readOperation(response: UpstreamResponse): OperationReading | undefined {
  const status = isSuccess(response) ? asText(asRecord(response.json)?.status) : undefined;
  if (status === undefined) return undefined;
  const state = Object.hasOwn(states, status) ? states[status as keyof typeof states] : undefined;
  return { state, status };
}

async function readResult(client: Client, paths: FalPaths, turn: PollTurn): Promise<StatusResult> {
  const { signal } = turn;
  for (let reads = 1; ; reads++) {
    const result = await client.read(paths.response, turn);
    const isFinal = reads === resultReads || signal.aborted || result.kind !== 'response';
    if (isFinal || !isPlainServerError(result)) {
      const end = result.kind === 'response' && !signal.aborted ? requestEnd(result) : null;
      return end ?? toStatusResult(result, { ...errors, signal, success: videoResult });
    }
    await sleep(resultReadDelayMs, signal);
  }
}

/** Returns how a request ended without a result; null for a result or an unrelated error. */
function requestEnd(response: UpstreamResponse): StatusResult | null {
  if (isSuccess(response)) return null;
  if (isStillInProgress(response)) return pending();
  const error = readError(response);
  // An error about this installation's key or rate says nothing about the request.
  const isAboutUs = [401, 403, 408, 429].includes(response.status) && error?.type === '';
  if (!error || isAboutUs) return null;
  const failure = failureFor(response);
  const canFailOver = isInputRefusal(response, failure) ? { canFailOver: true as const } : {};
  return withCost({ outcome: 'failed', ...failure, ...canFailOver }, costOf(response));
}

/** The video has a public URL and is downloaded without the API key. */
function videoResult(response: UpstreamResponse): StatusResult {
  return withCost(readVideo(response), costOf(response));
}

function readVideo({ json }: UpstreamResponse): StatusResult {
  const output = asRecord(json);
  if (!output) return pendingWithAlert('the result is not readable');
  const [first] = Array.isArray(output.videos) ? output.videos : [];
  const video = asRecord(output.video) ?? asRecord(first);
  const url = asUrl(video?.url);
  if (!url) return failed('failed', 'completed without a video');
  const outputSeconds = asNumber(video?.duration);
  return { outcome: 'completed', video: { url }, ...(outputSeconds ? { outputSeconds } : {}) };
}
