/** How each kind of `/v1/videos` server words its answers: errors above all. */
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { json, type RawAnswer } from '../upstream-double.ts';

/** OpenAI's errors. */
export const openAiError = (
  status: number,
  message: string,
  { code = null, param = null }: { code?: string | null; param?: string | null } = {},
): RawAnswer => json(status, { error: { message, type: 'invalid_request_error', param, code } });

/** FastAPI's, of both engines. */
export const detailed = (status: number, detail: unknown): RawAnswer => json(status, { detail });

/** FastAPI's, for a field that does not validate. */
export const invalidField = (field: string, type: string, msg: string): RawAnswer =>
  detailed(422, [{ type, loc: ['body', field], msg, input: null }]);

type Situation =
  | 'no such path'
  | 'no such video'
  | 'wrong key'
  | 'throttled'
  | 'content refused'
  | 'input refused'
  | 'server error';

const ofEngines: Record<Situation, RawAnswer> = {
  'no such path': detailed(404, 'Not Found'),
  'no such video': detailed(404, 'Video not found'),
  // Of the server's own check, or of the proxy before a server that has none.
  'wrong key': json(401, { error: 'Unauthorized' }),
  // Neither engine limits anything: a proxy before it does.
  throttled: { ...detailed(429, 'Too Many Requests'), headers: { 'retry-after': '7' } },
  'content refused': detailed(400, 'Guardrail blocked the prompt: violence'),
  'input refused': detailed(400, 'num_frames must be divisible by 4'),
  'server error': { status: 500, body: 'Internal Server Error' },
};

const ofOpenAi: Record<Situation, RawAnswer> = {
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

export const wordsOf = (dialect: DialectName, situation: Situation): RawAnswer =>
  (dialect === 'vllm' || dialect === 'sglang' ? ofEngines : ofOpenAi)[situation];

/** Why a video failed, as each tells it. */
export const failures = {
  failed: {
    openai: { code: 'server_error', message: 'Video generation failed.' },
    vllm: { code: 500, message: 'EngineGenerateError: CUDA out of memory' },
    sglang: { message: 'CUDA out of memory' },
    gateway: { code: 'upstream_error', message: 'the channel failed' },
  },
  'content-rejected': {
    openai: { code: 'moderation_blocked', message: 'Blocked by our moderation system.' },
    vllm: { code: 400, message: 'Guardrail blocked the generated video' },
    sglang: { message: 'The safety checker flagged the output' },
    gateway: { code: 'content_policy_violation', message: 'refused' },
  },
} as const satisfies Record<string, Record<DialectName, object>>;
