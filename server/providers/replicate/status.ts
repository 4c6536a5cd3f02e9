/** Polls a prediction. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Provider, StatusResult } from '../provider.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { ListedReads, type ListPage } from '../toolkit/listed-reads.ts';
import { type PollSchedule, pollInterval } from '../toolkit/poll-schedule.ts';
import type { RejectionContext } from '../toolkit/rejected-part.ts';
import { upstreamSeconds } from '../toolkit/response-values.ts';
import {
  failed,
  pending,
  pendingWithAlert,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ReplicateCalls } from './calls.ts';
import { errorReader, failureFor } from './errors.ts';
import { type Prediction, readPage, readPrediction } from './wire.ts';

/** Most videos take one to three minutes. */
const pollSchedule: PollSchedule = [
  { untilSeconds: 180, everySeconds: 5 },
  { untilSeconds: 600, everySeconds: 10 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 20 },
];

const inProgress = ['starting', 'processing'];

export const rejectionContext = ({ generationType }: Generation): RejectionContext => ({
  materials: generationType !== 'text-to-video',
});

export function createStatus(calls: ReplicateCalls): Provider['status'] {
  const reads = new ListedReads({
    get: calls.get,
    readPage: (cursor) => readInProgress(calls, cursor),
  });
  return async ({ operation, generation, ...turn }) =>
    toStatusResult(await reads.read(operation, turn), {
      ...errorReader,
      signal: turn.signal,
      success: (response) => predictionResult(response, rejectionContext(generation)),
    });
}

async function readInProgress(
  calls: ReplicateCalls,
  cursor: string | undefined,
): Promise<ListPage | null> {
  const read = await calls.list(cursor);
  const page = read.kind === 'response' ? readPage(read.json) : undefined;
  if (!page) return null;
  const running = page.predictions.filter(({ status = '' }) => inProgress.includes(status));
  const entries = running.map(
    ({ id = '', json }) => [id, { ...read, json } as ReadResult] as const,
  );
  return { inProgress: new Map(entries), cursor: page.cursor };
}

function predictionResult(response: UpstreamResponse, context: RejectionContext): StatusResult {
  const prediction = readPrediction(response.json);
  if (!prediction?.status) return pendingWithAlert('the response is not a prediction');
  switch (prediction.status) {
    case 'starting':
    case 'processing': {
      const now = upstreamSeconds(response);
      const ageSeconds = now - (prediction.createdSeconds ?? now);
      return pending(pollInterval(pollSchedule, ageSeconds), prediction.progress);
    }
    case 'succeeded':
      return succeededResult(prediction);
    case 'failed':
      return { outcome: 'failed', ...failureFor(prediction.error, context) };
    // The `Cancel-After` of the start passed before the prediction ran.
    case 'aborted':
      return failed('timed_out', 'its deadline passed before it began');
    // Our timeout is not later than `Cancel-After`, so someone else canceled it.
    case 'canceled':
      return failed('failed', 'canceled at the upstream');
    default:
      return unknownStatus(prediction.status);
  }
}

/** The video has a public URL for one hour and is downloaded without the API key. */
function succeededResult({ videoUrl, dataRemoved }: Prediction): StatusResult {
  if (videoUrl) return { outcome: 'completed', video: { url: videoUrl } };
  return dataRemoved
    ? failed('timed_out', 'its files were deleted before they were downloaded')
    : failed('failed', 'succeeded without a video');
}
