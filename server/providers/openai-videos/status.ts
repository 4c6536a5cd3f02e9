/** Polls a video and says where its file is. */
import type { Provider, ResultSource, StatusResult } from '../provider.ts';
import { type OperationReading, statusResultOf, withCost } from '../toolkit/async-adapter.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { ListedReads, type ListPage } from '../toolkit/listed-reads.ts';
import { hasMaterials } from '../toolkit/materials.ts';
import { asRecord, upstreamSeconds } from '../toolkit/response-values.ts';
import { failed, toStatusResult } from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { errors, failureFor } from './errors.ts';
import { readVideo, stateOf, type Video } from './wire.ts';

export function createStatus(dialect: Dialect, calls: VideoCalls): Provider['status'] {
  const reads = new ListedReads({ get: calls.get, readPage: (cursor) => readPage(calls, cursor) });
  const read = dialect.hasPages ? reads.read.bind(reads) : calls.get;
  return async (request) => {
    const { operation, generation, signal } = request;
    const context = { dialect, calls, operation, materials: hasMaterials(generation) };
    const result = await read(operation, request);
    // vLLM-Omni responds for a failed video with the status of its error, and the video as body.
    const video = result.kind === 'response' ? readVideo(result.json) : undefined;
    if (video?.status === 'failed' && video.id === operation) {
      return withCost({ outcome: 'failed', ...failureFor(video.error, context) }, video.cost);
    }
    return toStatusResult(result, {
      ...errors,
      signal,
      success: (response) => statusResultOf(readOperation(response, context)),
    });
  };
}

async function readPage(calls: VideoCalls, after: string | undefined): Promise<ListPage | null> {
  const page = await calls.readPage(after);
  if (page.kind !== 'response' || page.status !== 200) return null;
  const list = asRecord(page.json);
  const videos = Array.isArray(list?.data) ? list.data : [];
  const whole = new Map<string, ReadResult>();
  for (const json of videos) {
    const { id, status = '' } = readVideo(json) ?? {};
    if (id && stateOf(status) === 'running') whole.set(id, { ...page, json });
  }
  return { whole, cursor: list?.has_more === true ? readVideo(videos.at(-1))?.id : undefined };
}

type StatusContext = {
  readonly dialect: Dialect;
  readonly calls: VideoCalls;
  readonly operation: string;
  readonly materials: boolean;
};

function readOperation(
  response: UpstreamResponse,
  context: StatusContext,
): OperationReading | undefined {
  const video = readVideo(response.json);
  const now = upstreamSeconds(response);
  if (!video?.status) return undefined;
  const { status, progress, error, cost } = video;
  return {
    state: stateOf(status),
    status,
    progress,
    result: completedResult(video, now, context),
    failure: status === 'failed' ? failureFor(error, context) : undefined,
    cost,
  };
}

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
    errors.detail,
  );
}
