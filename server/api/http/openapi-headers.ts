/** The headers in the OpenAPI document, each described once and referenced by every operation. */
import type { RequestHeader, ResponseHeader } from './endpoint-definition.ts';

const integer = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;

export const responseHeaders = {
  'x-request-id': {
    description: 'The ID of this request in the log of the service; quote it to support.',
    schema: text,
  },
  'x-ratelimit-limit': {
    description: 'Requests that this key can send per minute.',
    schema: integer,
  },
  'x-ratelimit-remaining': { description: 'Requests that are left.', schema: integer },
  'x-ratelimit-reset': {
    description: 'Seconds until the next request is possible.',
    schema: integer,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request, with 429 and with a task in progress.',
    schema: integer,
  },
  'Set-Cookie': { description: 'The session’s token, or its end.', schema: text },
  'openai-poll-after-ms': {
    description: 'Milliseconds to wait before the next poll, while the video is in progress.',
    schema: integer,
  },
  'vidgen-adopted': {
    description:
      'Extension. `1` if the task is that of an earlier identical request, whose connection ' +
      'broke before its response was written. Nothing was reserved again.',
    schema: text,
    example: '1',
  },
  'vidgen-confirm': {
    description:
      'With 403: `password`, when `POST /session/confirm` is all that is missing; `openid`, when ' +
      'it is `POST /session/confirm/openid`.',
    schema: text,
  },
  'vidgen-ignored': {
    description: 'Extension. Fields of the request that its mode does not use, by path.',
    schema: text,
    example: 'input.video_urls, input.audio_urls',
  },
  'vidgen-progress': {
    description: 'Extension. 0 to 1, while a task is generated, if its provider reports it.',
    schema: { type: 'number', minimum: 0, maximum: 1 },
    example: 0.42,
  },
} as const satisfies Record<string, object>;

/** On every response of a limited endpoint, even if the request was not counted. */
const rateHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

export function headersOf(response: {
  readonly isLimited: boolean;
  readonly own: readonly ResponseHeader[];
}): Record<string, { $ref: string }> {
  const names = ['x-request-id', ...response.own, ...(response.isLimited ? rateHeaders : [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const requestHeaders = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Extension. Makes the request safe to repeat for 24 hours: a unique value of your choice, ' +
      'such as a UUID. With another request, the same value is rejected.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7E]+$' },
    'x-vidgen-extension': true,
  },
} as const satisfies Record<RequestHeader, object>;

/** The headers of every webhook (Standard Webhooks). */
export const webhookHeaders = [
  {
    name: 'webhook-id',
    description: 'The ID of the delivery: the same for retries and replays.',
    schema: text,
  },
  {
    name: 'webhook-timestamp',
    description: 'Unix seconds of this attempt. Reject it if it is more than five minutes off.',
    schema: text,
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the ' +
      'webhook secret of the account. Two of them, separated by a space, while the secret is ' +
      'rotated.',
    schema: text,
  },
].map((header) => ({ ...header, in: 'header', required: true }));
