/**
 * How a prediction is doing, and where its video is. Whatever keeps us from reading it says nothing
 * about it: it stays pending.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Provider, StatusAnswer } from '../provider.ts';
import { onOneLine } from '../toolkit/answer-values.ts';
import { askAgainSeconds, type Patience } from '../toolkit/patience.ts';
import { busyAnswer, type Reading } from '../toolkit/reads.ts';
import { upstreamSeconds } from '../toolkit/upstream-clock.ts';
import type { ReplicateCalls } from './calls.ts';
import { failureFor, readError, type Situation } from './errors.ts';
import { type Prediction, readPrediction } from './wire.ts';

const troubleSeconds = 15;
/** By the age of a prediction: most videos take one to three minutes. */
const patience: Patience = [
  { untilSeconds: 180, everySeconds: 5 },
  { untilSeconds: 600, everySeconds: 10 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 20 },
];

export const situationOf = ({ generationType }: Generation): Situation => ({
  materials: generationType !== 'text-to-video',
});

export function createStatus(calls: ReplicateCalls): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const reading = await calls.get(operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', askAgainSeconds: troubleSeconds };
    return statusAnswer(reading, situationOf(generation));
  };
}

function statusAnswer(reading: Reading, situation: Situation): StatusAnswer {
  if (reading.kind === 'busy') return busyAnswer(reading);
  if (reading.kind !== 'answered') return trouble(reading.detail);
  const { status } = reading;
  if (status >= 200 && status < 300) {
    const prediction = readPrediction(reading.json);
    if (!prediction?.status) return trouble('the answer is no prediction');
    return predictionAnswer(prediction, { situation, nowSeconds: upstreamSeconds(reading) });
  }
  const words = readError(reading);
  const detail = onOneLine(words ?? '') || `HTTP ${status}`;
  // In Replicate's own words only: a proxy's 404 does not mean that the prediction is gone.
  if (status === 404 && words) return { outcome: 'lost', detail };
  if (status === 429) return { outcome: 'pending', askAgainSeconds: troubleSeconds };
  return trouble(detail);
}

function predictionAnswer(
  prediction: Prediction,
  { situation, nowSeconds }: { readonly situation: Situation; readonly nowSeconds: number },
): StatusAnswer {
  switch (prediction.status) {
    case 'starting':
    case 'processing': {
      const ageSeconds = nowSeconds - (prediction.createdSeconds ?? nowSeconds);
      const { progress } = prediction;
      return {
        outcome: 'pending',
        askAgainSeconds: askAgainSeconds(patience, ageSeconds),
        ...(progress === undefined ? {} : { progress }),
      };
    }
    case 'succeeded':
      return succeededAnswer(prediction);
    case 'failed':
      return { outcome: 'failed', ...failureFor(prediction.error, situation) };
    // Our own deadline, told as `Cancel-After`, before it ran; the official client waits for ever.
    case 'aborted':
      return failed('timed_out', 'its deadline came before it began');
    // Our deadline comes no later than its own: what we still look at was stopped by somebody.
    case 'canceled':
      return failed('failed', 'canceled at the upstream');
    default:
      return trouble(`unknown status ${JSON.stringify(prediction.status?.slice(0, 100) ?? null)}`);
  }
}

/** At a public address, which lives for an hour: it is fetched at once, without our key. */
function succeededAnswer({ videoUrl, dataRemoved }: Prediction): StatusAnswer {
  if (videoUrl) return { outcome: 'completed', video: { url: videoUrl } };
  return dataRemoved
    ? failed('timed_out', 'its files were removed before they were fetched')
    : failed('failed', 'succeeded without a video');
}

const failed = (reason: 'failed' | 'timed_out', detail: string): StatusAnswer => ({
  outcome: 'failed',
  reason,
  detail,
});

function trouble(alert: string): StatusAnswer {
  return { outcome: 'pending', askAgainSeconds: troubleSeconds, alert };
}
