/** What all endpoints of OpenAI's format have in common: errors, views of videos, samples. */
import { editingDuration } from '@vidgen/contract/create-generation.ts';
import type { ErrorCode } from '@vidgen/contract/error-response.ts';
import {
  OpenAiErrorResponse,
  type Video,
  type videoStatuses,
} from '@vidgen/contract/openai-videos.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';
import { isFinal, type Task } from '../../../tasks/task.ts';
import { failureView } from '../../../tasks/view.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { FormatError } from '../../http/handler.ts';
import { createdAt, taskId } from '../../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../../http/timestamps.ts';
import { sizeOf } from '../video-size.ts';

const types: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_request_error',
  invalid_api_key: 'authentication_error',
  insufficient_credits: 'insufficient_quota',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  rate_limited: 'rate_limit_error',
  internal_error: 'server_error',
};

const retried: readonly ErrorCode[] = ['rate_limited', 'internal_error'];

/** Clients of OpenAI repeat 409, 429 and 5xx unless they are told not to. */
export const openAiError: FormatError = (error) => {
  const { code, message } = error;
  const { status, headers } = errorResponse(error);
  const body: OpenAiErrorResponse = {
    error: { message, type: types[code], param: paramOf(message), code },
  };
  const isRetried = retried.includes(code);
  return { status, headers: { ...headers, ...(isRetried ? {} : noRetry) }, body };
};

const noRetry = { 'x-should-retry': 'false' };

/** Messages of problems begin with the field; sentences begin with a capital letter. */
const paramOf = (message: string): string | null =>
  (knownField.exec(message) ?? unknownField.exec(message))?.[1] ?? null;

const knownField = /^([a-z][\w.]*)(\[[^\]]{0,60}\])? (must|is|needs|cannot)\b/;
const unknownField = /^([\w$-]{1,60}) is not a known field\b/;

export const openAiDefinition = {
  auth: 'key',
  extension: true,
  formatError: openAiError,
  errorSchema: OpenAiErrorResponse,
} as const;

export const queuedVideo: Video = {
  id: taskId,
  object: 'video',
  model: 'vidgen-2-5',
  status: 'queued',
  progress: 0,
  created_at: createdAt,
  completed_at: null,
  expires_at: null,
  seconds: '8',
  size: '1280x720',
  prompt: 'A paper boat drifts across a lake at dusk',
  error: null,
  remixed_from_video_id: null,
};

export const completedVideo = {
  ...queuedVideo,
  status: 'completed',
  progress: 100,
  completed_at: createdAt + 94,
  expires_at: createdAt + 86_494,
};

export const failedVideo = {
  ...queuedVideo,
  status: 'failed',
  error: {
    code: 'provider_failed',
    message:
      'The provider couldn’t generate this video. Your credits were refunded. Try again. If it ' +
      'keeps failing, try different settings or contact support with the task ID.',
  },
};

/** Of an edit whose source could not be measured. */
const editSecondsMax = 30;

const statuses: Readonly<Record<TaskStatus, (typeof videoStatuses)[number]>> = {
  queued: 'queued',
  generating: 'in_progress',
  completed: 'completed',
  failed: 'failed',
};

export function videoView(task: Task): Video {
  const { generation, status, progress, pricedSeconds, expiresAt, finishedAt } = task;
  const isEdit = generation.duration === editingDuration;
  const failure = failureView(task);
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: statuses[status],
    progress: status === 'failed' ? 0 : Math.round((progress ?? 0) * 100),
    created_at: unixSeconds(task.createdAt),
    completed_at: status === 'completed' && finishedAt ? unixSeconds(finishedAt) : null,
    expires_at: unixSecondsOrNull(expiresAt),
    seconds: String(isEdit ? Math.round(pricedSeconds ?? editSecondsMax) : generation.duration),
    size: sizeOf(generation),
    prompt: generation.prompt,
    // n8n stops polling only at `completed` or at an `error`.
    error: failure && { code: failure.reason, message: failure.sentence },
    remixed_from_video_id: null,
    ...(task.metadata ? { metadata: task.metadata } : {}),
  };
}

/** Python's client polls every second without it. */
const pollAfterMs = 5000;

export const pollHeaders = (task: Pick<Task, 'status'>): Record<string, string> =>
  isFinal(task) ? {} : { 'openai-poll-after-ms': String(pollAfterMs) };
