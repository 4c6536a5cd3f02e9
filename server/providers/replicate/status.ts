/** Reads predictions: many with few calls, and each as an operation. */
import type { StatusRequest } from '../provider.ts';
import type { OperationReading } from '../toolkit/async-adapter.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { ListedReads, type ListPage } from '../toolkit/listed-reads.ts';
import { hasMaterials } from '../toolkit/materials.ts';
import { failed } from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ReplicateCalls } from './calls.ts';
import { failureFor } from './errors.ts';
import { type Prediction, readPage, readPrediction } from './wire.ts';

const inProgress = ['starting', 'processing'];

export const createReads = (calls: ReplicateCalls): ListedReads =>
  new ListedReads({ get: calls.get, readPage: (cursor) => readListed(calls, cursor) });

async function readListed(
  calls: ReplicateCalls,
  cursor: string | undefined,
): Promise<ListPage | null> {
  const read = await calls.list(cursor);
  const page = read.kind === 'response' ? readPage(read.json) : undefined;
  if (!page) return null;
  const entries = page.predictions
    .filter(isWhole)
    .map(({ id = '', json }) => [id, { ...read, json } as ReadResult] as const);
  return { whole: new Map(entries), cursor: page.cursor };
}

/** Many that succeed together are collected at once; a failure is read with all that it says. */
const isWhole = ({ status = '', videoUrl }: Prediction): boolean =>
  inProgress.includes(status) || (status === 'succeeded' && videoUrl !== undefined);

export function readOperation(
  response: UpstreamResponse,
  request?: StatusRequest,
): OperationReading | undefined {
  const prediction = readPrediction(response.json);
  if (!prediction?.status) return undefined;
  const { status, progress, predictSeconds: units } = prediction;
  const materials = request !== undefined && hasMaterials(request.generation);
  const reading = {
    status,
    progress,
    cost: units === undefined ? undefined : ({ units, unit: 'computeSecond' } as const),
  };
  switch (status) {
    case 'starting':
      return { ...reading, state: prediction.hasRun ? 'running' : 'queued' };
    case 'processing':
      return { ...reading, state: 'running' };
    case 'succeeded':
      return { ...reading, state: 'completed', result: succeededResult(prediction) };
    case 'failed':
      return { ...reading, state: 'failed', failure: failureFor(prediction.error, { materials }) };
    case 'aborted': {
      const detail = 'its `Cancel-After` passed before it began';
      return { ...reading, state: 'cancelled', failure: { reason: 'timed_out', detail } };
    }
    // Our timeout is not later than `Cancel-After`, so someone else canceled it. It is billed if it
    // has run.
    case 'canceled': {
      const failure = { reason: 'failed', detail: 'canceled at the upstream' } as const;
      return { ...reading, state: prediction.hasRun ? 'failed' : 'cancelled', failure };
    }
    default:
      return { ...reading, state: undefined };
  }
}

/** The video has a public URL for one hour and is downloaded without the API key. */
function succeededResult({ videoUrl, dataRemoved }: Prediction): OperationReading['result'] {
  if (videoUrl) return { outcome: 'completed', video: { url: videoUrl } };
  return dataRemoved
    ? failed('timed_out', 'its files were deleted before they were downloaded')
    : undefined;
}
