/**
 * How a video is doing, and where its file is. Whatever keeps us from reading a video says nothing
 * about it: it stays pending. A failed one is told by the body, whatever the status of the answer.
 */

import type { Provider, ResultSource, StatusAnswer } from '../provider.ts';
import { toldWaitSeconds } from '../toolkit/answer-values.ts';
import { behindDoor } from '../toolkit/downloads.ts';
import { askAgainSeconds } from '../toolkit/patience.ts';
import { busyAnswer, type Reading } from '../toolkit/reads.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';
import { upstreamSeconds } from '../toolkit/upstream-clock.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { detailOf, failureFor, readError, type StartSituation, saysVideoIsGone } from './errors.ts';
import { readVideo, type Video } from './wire.ts';

const troubleSeconds = 15;

export function createStatus(dialect: Dialect, calls: VideoCalls): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const reading = await calls.get(operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', askAgainSeconds: troubleSeconds };
    const situation = { picture: generation.generationType === 'image-to-video' };
    return statusAnswer(reading, { dialect, calls, operation, situation });
  };
}

type Look = {
  readonly dialect: Dialect;
  readonly calls: VideoCalls;
  readonly operation: string;
  readonly situation: StartSituation;
};

function statusAnswer(reading: Reading, look: Look): StatusAnswer {
  if (reading.kind === 'busy') return busyAnswer(reading);
  if (reading.kind !== 'answered') return trouble(reading.detail);
  const video = readVideo(reading.json);
  if (reading.status >= 200 && reading.status < 300) {
    return video?.status ? videoAnswer(video, reading, look) : trouble('the answer is no video');
  }
  // vLLM-Omni answers for a failed video with the status of its error: the body is the video.
  if (video?.status === 'failed' && video.id === look.operation) {
    return videoAnswer(video, reading, look);
  }
  const detail = detailOf(readError(reading), `HTTP ${reading.status}`);
  // A server of one's own forgets everything when it is started again.
  if (saysVideoIsGone(reading)) return { outcome: 'lost', detail };
  if (reading.status === 429) {
    const seconds = toldWaitSeconds(reading.headers) ?? troubleSeconds;
    return { outcome: 'pending', askAgainSeconds: seconds };
  }
  return trouble(detail);
}

function videoAnswer(video: Video, answer: UpstreamAnswer, look: Look): StatusAnswer {
  const now = upstreamSeconds(answer);
  switch (video.status) {
    case 'queued':
    case 'in_progress':
    case 'pending':
    case 'processing': {
      const ageSeconds = Math.max(0, now - (video.createdSeconds ?? now));
      return {
        outcome: 'pending',
        askAgainSeconds: askAgainSeconds(look.dialect.patience, ageSeconds),
        ...(video.progress === undefined ? {} : { progress: video.progress }),
      };
    }
    case 'completed':
      return completedAnswer(video, now, look);
    case 'failed':
      return { outcome: 'failed', ...failureFor(video.error, look.situation) };
    case 'cancelled':
    case 'canceled':
      return { outcome: 'failed', reason: 'failed', detail: 'cancelled at the upstream' };
    default:
      return trouble(`unknown status ${JSON.stringify(video.status?.slice(0, 100) ?? null)}`);
  }
}

function completedAnswer(video: Video, nowSeconds: number, look: Look): StatusAnswer {
  if (video.expiresSeconds !== undefined && video.expiresSeconds <= nowSeconds) {
    const detail = 'its file expired at the upstream before it was fetched';
    return { outcome: 'failed', reason: 'timed_out', detail };
  }
  if (video.hasNoFile) {
    const detail = 'completed without a file: the server does not keep its output';
    return { outcome: 'failed', reason: 'failed', detail };
  }
  return {
    outcome: 'completed',
    video: sourceOf(video, look),
    ...(video.outputSeconds ? { outputSeconds: video.outputSeconds } : {}),
  };
}

/** A public address is fetched through the guard, without our key; all else with it. */
function sourceOf({ url }: Video, { dialect, calls, operation }: Look): ResultSource {
  const named = dialect.namesAddress ? url : undefined;
  if (named !== undefined && calls.own(named) === null) return { url: named };
  return behindDoor(
    (saving) =>
      named === undefined ? calls.content(operation, saving) : calls.fetchOwn(named, saving),
    (answer) => detailOf(readError(answer), `HTTP ${answer.status}`),
  );
}

function trouble(alert: string): StatusAnswer {
  return { outcome: 'pending', askAgainSeconds: troubleSeconds, alert };
}
