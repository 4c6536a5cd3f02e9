/**
 * How a video is doing, and where its file is. Whatever keeps us from reading a video says nothing
 * about it: it stays pending. A failed one is told by the body, whatever the status of the answer.
 */

import type { Provider, ResultSource, StatusResult } from '../provider.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { pollInterval } from '../toolkit/poll-schedule.ts';
import { upstreamSeconds } from '../toolkit/response-time.ts';
import { parseRetryAfter } from '../toolkit/response-values.ts';
import { type ReadResult, throttledStatus } from '../toolkit/throttled-get.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import {
  detailOf,
  failureFor,
  isVideoNotFound,
  type OpenAiVideosErrorContext,
  readError,
} from './errors.ts';
import { readVideo, type Video } from './wire.ts';

const errorPollSeconds = 15;

export function createStatus(dialect: Dialect, calls: VideoCalls): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const result = await calls.get(operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', pollAfterSeconds: errorPollSeconds };
    const errorContext = { hasImage: generation.generationType === 'image-to-video' };
    return toStatusResult(result, { dialect, calls, operation, errorContext });
  };
}

type StatusContext = {
  readonly dialect: Dialect;
  readonly calls: VideoCalls;
  readonly operation: string;
  readonly errorContext: OpenAiVideosErrorContext;
};

function toStatusResult(result: ReadResult, context: StatusContext): StatusResult {
  if (result.kind === 'busy') return throttledStatus(result);
  if (result.kind !== 'answered') return pendingWithAlert(result.detail);
  const video = readVideo(result.json);
  if (result.status >= 200 && result.status < 300) {
    return video?.status
      ? videoResult(video, result, context)
      : pendingWithAlert('the answer is no video');
  }
  // vLLM-Omni answers for a failed video with the status of its error: the body is the video.
  if (video?.status === 'failed' && video.id === context.operation) {
    return videoResult(video, result, context);
  }
  const detail = detailOf(readError(result), `HTTP ${result.status}`);
  // A server of one's own forgets everything when it is started again.
  if (isVideoNotFound(result)) return { outcome: 'lost', detail };
  if (result.status === 429) {
    const seconds = parseRetryAfter(result.headers) ?? errorPollSeconds;
    return { outcome: 'pending', pollAfterSeconds: seconds };
  }
  return pendingWithAlert(detail);
}

function videoResult(
  video: Video,
  response: UpstreamResponse,
  context: StatusContext,
): StatusResult {
  const now = upstreamSeconds(response);
  switch (video.status) {
    case 'queued':
    case 'in_progress':
    case 'pending':
    case 'processing': {
      const ageSeconds = Math.max(0, now - (video.createdSeconds ?? now));
      return {
        outcome: 'pending',
        pollAfterSeconds: pollInterval(context.dialect.pollSchedule, ageSeconds),
        ...(video.progress === undefined ? {} : { progress: video.progress }),
      };
    }
    case 'completed':
      return completedResult(video, now, context);
    case 'failed':
      return { outcome: 'failed', ...failureFor(video.error, context.errorContext) };
    case 'cancelled':
    case 'canceled':
      return { outcome: 'failed', reason: 'failed', detail: 'cancelled at the upstream' };
    default:
      return pendingWithAlert(
        `unknown status ${JSON.stringify(video.status?.slice(0, 100) ?? null)}`,
      );
  }
}

function completedResult(video: Video, nowSeconds: number, context: StatusContext): StatusResult {
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
    video: sourceOf(video, context),
    ...(video.outputSeconds ? { outputSeconds: video.outputSeconds } : {}),
  };
}

/** A public address is fetched through the guard, without our key; all else with it. */
function sourceOf({ url }: Video, { dialect, calls, operation }: StatusContext): ResultSource {
  const fileUrl = dialect.returnsFileUrl ? url : undefined;
  if (fileUrl !== undefined && calls.resolveOnHost(fileUrl) === null) return { url: fileUrl };
  return authenticatedSource(
    (saveOptions) =>
      fileUrl === undefined
        ? calls.content(operation, saveOptions)
        : calls.fetchWithKey(fileUrl, saveOptions),
    (response) => detailOf(readError(response), `HTTP ${response.status}`),
  );
}

function pendingWithAlert(alert: string): StatusResult {
  return { outcome: 'pending', pollAfterSeconds: errorPollSeconds, alert };
}
