/**
 * How a request is doing, and where its video is. fal has no state for a failure: a failed request
 * is completed too, and only its result tells. Whatever keeps us from reading says nothing about
 * the request: it stays pending.
 */
import { sleep } from '../../clock.ts';
import type { StatusAnswer } from '../provider.ts';
import { asNumber, asRecord, asText, asUrl } from '../toolkit/answer-values.ts';
import { busyAnswer, type Reading } from '../toolkit/reads.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';
import type { FalCalls } from './calls.ts';
import {
  detailOf,
  failureFor,
  isPlainServerError,
  isStillInProgress,
  readError,
} from './errors.ts';
import type { Paths } from './operation.ts';

const askAgainSeconds = { IN_QUEUE: 10, IN_PROGRESS: 5, trouble: 15 } as const;
/** A server error without a type may be a gateway's: it has to be said more than once. */
const resultLooks = 3;
const betweenLooksMs = 1_000;

export async function lookAt(
  calls: FalCalls,
  paths: Paths,
  signal: AbortSignal,
): Promise<StatusAnswer> {
  const reading = await calls.get(paths.status, signal);
  // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
  if (signal.aborted) return pending(askAgainSeconds.trouble);
  const status = readStatus(reading);
  if (typeof status !== 'string') return status;
  switch (status) {
    case 'IN_QUEUE':
    case 'IN_PROGRESS':
      return pending(askAgainSeconds[status]);
    case 'COMPLETED':
      return await result(calls, paths, signal);
    default:
      return trouble(`unknown status ${JSON.stringify(status.slice(0, 100))}`);
  }
}

/** The status, or what it means that there is none to be read. */
function readStatus(reading: Reading): string | StatusAnswer {
  if (reading.kind === 'busy') return busyAnswer(reading);
  if (reading.kind !== 'answered') return trouble(reading.detail);
  if (reading.status >= 200 && reading.status < 300) {
    return asText(asRecord(reading.json)?.status) ?? trouble('the answer is no status');
  }
  return unread(reading);
}

function unread(answer: UpstreamAnswer): StatusAnswer {
  const error = readError(answer);
  const detail = detailOf(error, `HTTP ${answer.status}`);
  // In fal's own words only: a proxy's 404 does not mean that the request is gone.
  if (answer.status === 404 && error) return { outcome: 'lost', detail };
  return answer.status === 429 ? pending(askAgainSeconds.trouble) : trouble(detail);
}

async function result(calls: FalCalls, paths: Paths, signal: AbortSignal): Promise<StatusAnswer> {
  for (let looks = 1; ; looks++) {
    const reading = await calls.get(paths.response, signal);
    if (signal.aborted) return pending(askAgainSeconds.trouble);
    if (reading.kind === 'busy') return busyAnswer(reading);
    if (reading.kind !== 'answered') return trouble(reading.detail);
    if (looks === resultLooks || !isPlainServerError(reading)) return resultAnswer(reading);
    await sleep(betweenLooksMs, signal);
  }
}

function resultAnswer(answer: UpstreamAnswer): StatusAnswer {
  const { status } = answer;
  if (status >= 200 && status < 300) return videoAnswer(answer.json);
  if (isStillInProgress(answer)) return pending(askAgainSeconds.IN_PROGRESS);
  // Our key, our pace, or nobody's own words: that is not how the request ended.
  const error = readError(answer);
  const isAboutUs = [401, 403, 408, 429].includes(status) && error?.type === '';
  if (!error || isAboutUs) return unread(answer);
  return { outcome: 'failed', ...failureFor(answer) };
}

/** At a public address: it is fetched through the guard, without our key. */
function videoAnswer(json: unknown): StatusAnswer {
  const output = asRecord(json);
  if (!output) return trouble('the result cannot be read');
  const video = asRecord(output.video) ?? asRecord(asList(output.videos)?.[0]);
  const url = asUrl(video?.url);
  if (!url) return { outcome: 'failed', reason: 'failed', detail: 'completed without a video' };
  const outputSeconds = asNumber(video?.duration);
  return { outcome: 'completed', video: { url }, ...(outputSeconds ? { outputSeconds } : {}) };
}

const asList = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

const pending = (seconds: number): StatusAnswer => ({
  outcome: 'pending',
  askAgainSeconds: seconds,
});

const trouble = (alert: string): StatusAnswer => ({
  outcome: 'pending',
  askAgainSeconds: askAgainSeconds.trouble,
  alert,
});
