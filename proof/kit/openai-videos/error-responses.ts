/** The error responses of each kind of `/v1/videos` server. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { ErrorCode } from '@vidgen/contract/error-response.ts';
import { failureMessage, type RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { openAiError as toVidgenError } from '../../../server/api/dialects/openai/definition.ts';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { type FakeResponse, json } from '../fake-upstream.ts';

export const openAiError = (
  status: number,
  message: string,
  { code = null, param = null }: { code?: string | null; param?: string | null } = {},
): FakeResponse => json(status, { error: { message, type: 'invalid_request_error', param, code } });

/** FastAPI's own errors, as SGLang returns them. */
const fastApiError = (status: number, detail: unknown): FakeResponse => json(status, { detail });

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  500: 'Internal Server Error',
};

/** vLLM's handlers replace FastAPI's: `http_exception_handler` of its `server_utils.py`. */
const vllmError = (status: number, message: string): FakeResponse =>
  json(status, { error: { message, type: phrases[status], param: null, code: status } });

/** The error of an engine itself, not of OpenAI. */
export const engineError = (dialect: DialectName, status: number, message: string): FakeResponse =>
  dialect === 'vllm' ? vllmError(status, message) : fastApiError(status, message);

type Situation =
  | 'no such path'
  | 'no such video'
  | 'wrong key'
  | 'throttled'
  | 'content refused'
  | 'input refused'
  | 'server error';

const engineErrors = (dialect: 'vllm' | 'sglang'): Record<Situation, FakeResponse> => ({
  // Starlette's own response, which no handler replaces.
  'no such path': fastApiError(404, 'Not Found'),
  'no such video': engineError(dialect, 404, 'Video not found'),
  // From the server's own check, or from a proxy in front of it.
  'wrong key': json(401, { error: 'Unauthorized' }),
  // From a proxy: neither engine limits requests.
  throttled: { ...fastApiError(429, 'Too Many Requests'), headers: { 'retry-after': '7' } },
  'content refused': engineError(dialect, 400, 'Guardrail blocked the prompt: violence'),
  'input refused': engineError(dialect, 400, 'num_frames must be divisible by 4'),
  'server error':
    dialect === 'vllm'
      ? vllmError(500, 'list index out of range')
      : { status: 500, body: 'Internal Server Error' },
});

const openAiErrors: Record<Situation, FakeResponse> = {
  'no such path': openAiError(404, 'Invalid URL (GET /v1/nowhere)'),
  'no such video': openAiError(404, "Video with id 'video_0' not found."),
  'wrong key': openAiError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' }),
  throttled: {
    ...openAiError(429, 'Rate limit reached.', { code: 'rate_limit_exceeded' }),
    headers: { 'retry-after': '7' },
  },
  'content refused': openAiError(400, 'Your request was blocked by our moderation system.', {
    code: 'moderation_blocked',
  }),
  'input refused': openAiError(400, "Invalid value: '2'.", { param: 'seconds' }),
  'server error': json(500, {
    error: { message: 'The server had an error.', type: 'server_error', param: null, code: null },
  }),
};

const openRouterError = (status: number, message: string): FakeResponse =>
  json(status, { error: { code: status, message } });

const openRouterErrors: Record<Situation, FakeResponse> = {
  'no such path': openRouterError(404, 'Not Found'),
  'no such video': openRouterError(404, 'Job job-0 was not found'),
  'wrong key': openRouterError(401, 'No auth credentials found'),
  throttled: { ...openRouterError(429, 'Rate limited'), headers: { 'retry-after': '7' } },
  'content refused': openRouterError(403, 'The input was flagged by moderation: violence'),
  'input refused': openRouterError(400, 'duration: not supported by this model'),
  'server error': openRouterError(500, 'Internal Server Error'),
};

/** As this service writes its errors in OpenAI's format. */
export function vidgenError(code: ErrorCode, message: string): FakeResponse {
  const { status = 500, body } = toVidgenError(new ApiError(code, message));
  return json(status, body, { 'x-should-retry': 'false' });
}

const vidgenErrors: Record<Situation, FakeResponse> = {
  'no such path': vidgenError('not_found', 'Unknown path or method; see /docs.'),
  'no such video': vidgenError('not_found', 'No task found with this ID.'),
  'wrong key': vidgenError('invalid_api_key', 'The API key is not valid.'),
  throttled: vidgenError('rate_limited', 'Rate limit exceeded.'),
  // It moderates nothing by itself: its providers reject content later.
  'content refused': vidgenError('invalid_request', 'prompt must not be empty'),
  'input refused': vidgenError('invalid_request', 'seconds must be 4 to 30 (got 45)'),
  'server error': vidgenError('internal_error', 'Something went wrong.'),
};

const errors: Record<DialectName, Record<Situation, FakeResponse>> = {
  openai: openAiErrors,
  gateway: openAiErrors,
  vllm: engineErrors('vllm'),
  sglang: engineErrors('sglang'),
  openrouter: openRouterErrors,
  vidgen: vidgenErrors,
};

export const errorResponse = (dialect: DialectName, situation: Situation): FakeResponse =>
  errors[dialect][situation];

/** The error of a failed video of this service: `errorOf` of its `video-view.ts`. */
export const vidgenFailureOf = (reason: FailedReason, part: RejectedPart | null = null) => ({
  code: reason,
  message: failureMessage({ reason, part, billingStatus: 'refunded', refundOutcome: null }),
});

export const failures = {
  failed: {
    openai: { code: 'server_error', message: 'Video generation failed.' },
    vllm: { code: 500, message: 'EngineGenerateError: CUDA out of memory' },
    sglang: { message: 'CUDA out of memory' },
    gateway: { code: 'upstream_error', message: 'the channel failed' },
    openrouter: 'The provider could not generate the video',
    vidgen: vidgenFailureOf('provider_failed'),
  },
  'content-rejected': {
    openai: { code: 'moderation_blocked', message: 'Blocked by our moderation system.' },
    vllm: { code: 400, message: 'Guardrail blocked the generated video' },
    sglang: { message: 'The safety checker flagged the output' },
    gateway: { code: 'content_policy_violation', message: 'refused' },
    openrouter: 'The generated video was blocked by the safety filter',
    vidgen: vidgenFailureOf('provider_rejected'),
  },
} as const satisfies Record<string, Record<DialectName, object | string>>;
