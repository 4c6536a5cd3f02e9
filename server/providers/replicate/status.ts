/**
 * How a prediction is doing, and where its video is. Whatever keeps us from reading it says nothing
 * about it: it stays pending.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Provider, StatusResult } from '../provider.ts';
import { type PollSchedule, pollInterval } from '../toolkit/poll-schedule.ts';
import { upstreamSeconds } from '../toolkit/response-time.ts';
import { toSingleLine } from '../toolkit/response-values.ts';
import { type ReadResult, throttledStatus } from '../toolkit/throttled-get.ts';
import type { ReplicateCalls } from './calls.ts';
import { failureFor, type ReplicateErrorContext, readError } from './errors.ts';
import { type Prediction, readPrediction } from './wire.ts';

const errorPollSeconds = 15;
/** By the age of a prediction: most videos take one to three minutes. */
const pollSchedule: PollSchedule = [
  { untilSeconds: 180, everySeconds: 5 },
  { untilSeconds: 600, everySeconds: 10 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 20 },
];

export const errorContextOf = ({ generationType }: Generation): ReplicateErrorContext => ({
  materials: generationType !== 'text-to-video',
});

export function createStatus(calls: ReplicateCalls): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const result = await calls.get(operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', pollAfterSeconds: errorPollSeconds };
    return toStatusResult(result, errorContextOf(generation));
  };
}

function toStatusResult(result: ReadResult, errorContext: ReplicateErrorContext): StatusResult {
  if (result.kind === 'busy') return throttledStatus(result);
  if (result.kind !== 'answered') return pendingWithAlert(result.detail);
  const { status } = result;
  if (status >= 200 && status < 300) {
    const prediction = readPrediction(result.json);
    if (!prediction?.status) return pendingWithAlert('the answer is no prediction');
    return predictionResult(prediction, { errorContext, nowSeconds: upstreamSeconds(result) });
  }
  const message = readError(result);
  const detail = toSingleLine(message ?? '') || `HTTP ${status}`;
  // In Replicate's own words only: a proxy's 404 does not mean that the prediction is gone.
  if (status === 404 && message) return { outcome: 'lost', detail };
  if (status === 429) return { outcome: 'pending', pollAfterSeconds: errorPollSeconds };
  return pendingWithAlert(detail);
}

function predictionResult(
  prediction: Prediction,
  {
    errorContext,
    nowSeconds,
  }: { readonly errorContext: ReplicateErrorContext; readonly nowSeconds: number },
): StatusResult {
  switch (prediction.status) {
    case 'starting':
    case 'processing': {
      const ageSeconds = nowSeconds - (prediction.createdSeconds ?? nowSeconds);
      const { progress } = prediction;
      return {
        outcome: 'pending',
        pollAfterSeconds: pollInterval(pollSchedule, ageSeconds),
        ...(progress === undefined ? {} : { progress }),
      };
    }
    case 'succeeded':
      return succeededResult(prediction);
    case 'failed':
      return { outcome: 'failed', ...failureFor(prediction.error, errorContext) };
    // Our own deadline, told as `Cancel-After`, before it ran; the official client waits for ever.
    case 'aborted':
      return failed('timed_out', 'its deadline came before it began');
    // Our deadline comes no later than its own: what we still look at was stopped by somebody.
    case 'canceled':
      return failed('failed', 'canceled at the upstream');
    default:
      return pendingWithAlert(
        `unknown status ${JSON.stringify(prediction.status?.slice(0, 100) ?? null)}`,
      );
  }
}

/** At a public address, which lives for an hour: it is fetched at once, without our key. */
function succeededResult({ videoUrl, dataRemoved }: Prediction): StatusResult {
  if (videoUrl) return { outcome: 'completed', video: { url: videoUrl } };
  return dataRemoved
    ? failed('timed_out', 'its files were removed before they were fetched')
    : failed('failed', 'succeeded without a video');
}

const failed = (reason: 'failed' | 'timed_out', detail: string): StatusResult => ({
  outcome: 'failed',
  reason,
  detail,
});

function pendingWithAlert(alert: string): StatusResult {
  return { outcome: 'pending', pollAfterSeconds: errorPollSeconds, alert };
}
