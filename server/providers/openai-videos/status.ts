/** Polls a video and says where its file is. */
import type { Provider, ResultSource, StatusResult } from '../provider.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { ListedReads, type ListPage } from '../toolkit/listed-reads.ts';
import { pollInterval } from '../toolkit/poll-schedule.ts';
import type { RejectionContext } from '../toolkit/rejected-part.ts';
import { asRecord, upstreamSeconds } from '../toolkit/response-values.ts';
import {
  failed,
  pending,
  pendingWithAlert,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { errorReader, failureFor } from './errors.ts';
import { readVideo, type Video } from './wire.ts';

const inProgressStatuses = ['queued', 'in_progress', 'pending', 'processing'];

export function createStatus(dialect: Dialect, calls: VideoCalls): Provider['status'] {
  const reads = new ListedReads({ get: calls.get, readPage: (cursor) => readPage(calls, cursor) });
  const read = dialect.hasPages ? reads.read.bind(reads) : calls.get;
  return async (request) => {
    const { operation, generation, signal } = request;
    const rejection = { materials: generation.generationType !== 'text-to-video' };
    const context = { dialect, calls, operation, rejection };
    const result = await read(operation, request);
    // vLLM-Omni responds for a failed video with the status of its error, and the video as body.
    const video = result.kind === 'response' ? readVideo(result.json) : undefined;
    if (video?.status === 'failed' && video.id === operation) return failedResult(video, context);
    return toStatusResult(result, {
      ...errorReader,
      signal,
      success: (response) => videoResult(response, context),
    });
  };
}

async function readPage(calls: VideoCalls, after: string | undefined): Promise<ListPage | null> {
  const page = await calls.readPage(after);
  if (page.kind !== 'response' || page.status !== 200) return null;
  const list = asRecord(page.json);
  const videos = Array.isArray(list?.data) ? list.data : [];
  const inProgress = new Map<string, ReadResult>();
  for (const json of videos) {
    const { id, status = '' } = readVideo(json) ?? {};
    if (id && inProgressStatuses.includes(status)) inProgress.set(id, { ...page, json });
  }
  return { inProgress, cursor: list?.has_more === true ? readVideo(videos.at(-1))?.id : undefined };
}

type StatusContext = {
  readonly dialect: Dialect;
  readonly calls: VideoCalls;
  readonly operation: string;
  readonly rejection: RejectionContext;
};

function videoResult(response: UpstreamResponse, context: StatusContext): StatusResult {
  const video = readVideo(response.json);
  const now = upstreamSeconds(response);
  if (!video?.status) return pendingWithAlert('the response is not a video');
  switch (video.status) {
    case 'queued':
    case 'in_progress':
    case 'pending':
    case 'processing': {
      const ageSeconds = Math.max(0, now - (video.createdSeconds ?? now));
      return pending(pollInterval(context.dialect.pollSchedule, ageSeconds), video.progress);
    }
    case 'completed':
      return completedResult(video, now, context);
    case 'failed':
      return failedResult(video, context);
    case 'expired':
      return failed('timed_out', 'expired at the upstream');
    case 'cancelled':
    case 'canceled':
      return failed('failed', 'cancelled at the upstream');
    default:
      return unknownStatus(video.status);
  }
}

const failedResult = ({ error }: Video, { rejection }: StatusContext): StatusResult => ({
  outcome: 'failed',
  ...failureFor(error, rejection),
});

function completedResult(video: Video, nowSeconds: number, context: StatusContext): StatusResult {
  if (video.expiresSeconds !== undefined && video.expiresSeconds <= nowSeconds) {
    return failed('timed_out', 'its file expired at the upstream before it was downloaded');
  }
  if (video.hasNoFile) {
    return failed('failed', 'completed without a file: the server does not keep its output');
  }
  return {
    outcome: 'completed',
    video: sourceOf(video, context),
    ...(video.outputSeconds ? { outputSeconds: video.outputSeconds } : {}),
  };
}

/** Another host's URL is downloaded through the egress rules, without the API key. */
function sourceOf({ url }: Video, { dialect, calls, operation }: StatusContext): ResultSource {
  const fileUrl = dialect.returnsFileUrl ? url : undefined;
  if (fileUrl !== undefined && calls.resolveOnHost(fileUrl) === null) return { url: fileUrl };
  return authenticatedSource(
    (saveOptions) =>
      fileUrl === undefined
        ? calls.content(operation, saveOptions)
        : calls.save(fileUrl, saveOptions),
    errorReader.detail,
  );
}
