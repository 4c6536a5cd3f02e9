/**
 * The video of a completed operation: at a public URL, behind the API key, named by a file id, or
 * in the response itself. The API key goes to the configured host only.
 */
import { saveStream } from '../../egress/save-stream.ts';
import type { PollTurn, ResultSource, StatusResult } from '../provider.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { asText, asUrl, valueAt } from '../toolkit/response-values.ts';
import { pendingWithAlert, unreadStatus } from '../toolkit/status-result.ts';
import { isSuccess } from '../toolkit/upstream.ts';
import type { DeclaredCalls } from './calls.ts';
import { asId, detailOf, readStatusError, reasonFor } from './responses.ts';
import type { DeclaredSettings } from './settings.ts';

export type ResultContext = {
  readonly settings: Pick<DeclaredSettings, 'status' | 'results' | 'errors'>;
  readonly calls: DeclaredCalls;
  readonly operation: string;
  readonly turn: PollTurn;
  readonly pollSeconds: number | undefined;
};

export async function completedResult(
  json: unknown,
  outputSeconds: number | undefined,
  context: ResultContext,
): Promise<StatusResult> {
  const { lastFrame } = context.settings.status;
  const video = await videoIn(json, context);
  if (video === null) return withoutVideo(json, context);
  if ('outcome' in video) return video;
  const frame = lastFrame === undefined ? null : sourceAt(json, lastFrame, context);
  return {
    outcome: 'completed',
    video,
    ...(frame ? { lastFrame: frame } : {}),
    ...(outputSeconds ? { outputSeconds } : {}),
  };
}

/** An upstream may withhold a video that its moderation rejected, and say so in a code. */
function withoutVideo(json: unknown, { settings }: ResultContext): StatusResult {
  const errors = settings.errors ?? {};
  const error = readStatusError(json, errors);
  const detail = detailOf(error, 'no error');
  return {
    outcome: 'failed',
    ...reasonFor(error, errors),
    detail: `completed without a video: ${detail}`,
  };
}

async function videoIn(
  json: unknown,
  context: ResultContext,
): Promise<ResultSource | StatusResult | null> {
  const { calls, operation } = context;
  const { video, videoPath, videoBase64, file } = context.settings.status;
  if (videoPath !== undefined) return sourceWithKey(calls, calls.videoPath(operation));
  if (videoBase64 !== undefined) return inlineSource(valueAt(json, videoBase64));
  if (!file) return sourceAt(json, video!, context);
  const id = asId(valueAt(json, file.id));
  return id === undefined ? null : await lookUpFile(id, file.video, context);
}

/** The video exists and is paid for, so a call that fails is repeated with the next poll. */
async function lookUpFile(
  id: string,
  path: string,
  context: ResultContext,
): Promise<ResultSource | StatusResult> {
  const { calls, turn, pollSeconds, settings } = context;
  const result = await calls.file(id, turn);
  if (result.kind === 'throttled') return unreadStatus(result.waitSeconds);
  const isRead = result.kind === 'response' && isSuccess(result);
  const source = isRead ? sourceAt(result.json, path, context) : null;
  if (source) return source;
  const error =
    result.kind === 'response' ? readStatusError(result.json, settings.errors ?? {}) : undefined;
  return pendingWithAlert(
    `the file could not be looked up: ${detailOf(error, result.kind)}`,
    pollSeconds,
  );
}

/** Returns null when the response has no URL there. */
function sourceAt(
  json: unknown,
  path: string,
  { calls, settings }: ResultContext,
): ResultSource | null {
  const urlOrPath = asText(valueAt(json, path));
  if (urlOrPath === undefined) return null;
  // With the key it may be a path; a public URL is always complete.
  const hostUrl = settings.results === 'with-key' ? calls.resolveOnHost(urlOrPath) : null;
  if (hostUrl !== null) return sourceWithKey(calls, hostUrl);
  const url = asUrl(urlOrPath);
  return url === undefined ? null : { url };
}

const sourceWithKey = (calls: DeclaredCalls, pathOrUrl: string): ResultSource =>
  authenticatedSource(
    (saveOptions) => calls.save(pathOrUrl, saveOptions),
    ({ status }) => `HTTP ${status}`,
  );

const dataUrl = /^data:[\w/+.-]{1,100};base64,/;

/** Returns null for anything but base64, with or without the beginning of a data URL. */
function inlineSource(value: unknown): ResultSource | null {
  const text =
    asText(value)
      ?.replace(dataUrl, '')
      .replace(/={1,2}$/, '') ?? '';
  const bytes = Buffer.from(text, 'base64');
  // The decoder skips other characters. A pattern would overflow the stack for a long text.
  if (bytes.length === 0 || bytes.length !== Math.floor(text.length * 0.75)) return null;
  return {
    download: async ({ into, bytesMax }) => {
      if (bytes.length > bytesMax) return { saved: false, detail: `more than ${bytesMax} bytes` };
      return { saved: true, bytes: await saveStream([bytes], into) };
    },
  };
}
