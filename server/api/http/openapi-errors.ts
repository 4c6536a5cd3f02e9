/** Errors and headers of responses in the OpenAPI document. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type ErrorCode, ErrorResponse, errorTable } from '@vidgen/contract/error-response.ts';
import type {
  EndpointDefinition,
  Examples,
  RequestHeader,
  ResponseDescription,
  ResponseHeader,
} from './endpoint-definition.ts';

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
  Sunset: {
    description: 'Extension. The day from which the vendor does not make the model any more.',
    schema: text,
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

const error = (code: ErrorCode, message: string, details: object = {}) => ({
  error: { code, message, ...details },
});

type ErrorSample = readonly [name: string, summary: string, message: string, details?: object];
const samples: Readonly<Record<ErrorCode, readonly ErrorSample[]>> = {
  invalid_request: [
    [
      'rules',
      'Several broken rules',
      'input.duration must be 4 to 30 for vidgen-2-5 (got 45); ' +
        'input.seed is not supported by vidgen-2-5, omit it',
    ],
    [
      'shape',
      'A wrong type and an unknown field',
      'input.watermark must be true or false (got "no"); ' +
        'input.durration is not a known field, did you mean input.duration?',
    ],
  ],
  invalid_api_key: [
    ['revoked', 'Key missing, invalid or revoked', 'This API key is unknown, expired or revoked.'],
    [
      'suspended',
      'The account is suspended',
      'The account of this API key is suspended; ask the administrator of this service to resume ' +
        'it.',
    ],
  ],
  insufficient_credits: [
    [
      'short',
      'Not enough credits',
      'This task costs 40 credits but only 12 are available; top up, or choose a shorter video ' +
        'or a lower resolution.',
      { required: 40, available: 12 },
    ],
    [
      'capped',
      'The spending cap of the key is reached',
      'This task costs 40 credits, and this API key has used 480 of its cap of 500 credits per ' +
        'day; ask an account owner to raise the cap, or wait until 2026-02-01 (UTC).',
      { required: 40, available: 20 },
    ],
  ],
  forbidden: [
    ['permission', 'The key lacks the permission', 'This API key needs the tasks:read permission.'],
  ],
  not_found: [['unknown', 'Unknown, or of another account', 'No task found with this ID.']],
  rate_limited: [
    [
      'wait',
      'Too many requests in the last minute',
      'Rate limit of 100 create requests per minute exceeded; retry in 7 seconds.',
      { retry_after: 7 },
    ],
  ],
  internal_error: [
    [
      'ours',
      'An error on our side',
      'Something went wrong on our side; try again later or contact support with request ID ' +
        'req_9fJ2kQx7Lw0Zt4Ub.',
    ],
  ],
};

const adminForbidden: readonly ErrorSample[] = [
  [
    'role',
    'The role is too low',
    'This requires the developer role (you are viewer); ask an account owner.',
  ],
  [
    'confirm',
    'The password is asked for again (`vidgen-confirm: password`)',
    'Confirm your password to continue.',
  ],
];

type DefaultMessages = Partial<Record<ErrorCode, string>>;

const adminMessages: DefaultMessages = {
  invalid_api_key:
    'Not signed in; sign in to the dashboard, or send "Authorization: Bearer ' +
    '<VIDGEN_ADMIN_TOKEN>".',
};
const sessionMessages: DefaultMessages = {
  invalid_api_key: 'Not signed in; sign in to the dashboard.',
  forbidden:
    'Cross-origin request rejected; use the dashboard of this service, or the admin token.',
};

/** By status. `noun` is what `:id` in the path names. */
export function errorResponses(
  definition: EndpointDefinition,
  noun: string | undefined,
): Record<number, ResponseDescription> {
  const { auth, errors = {} } = definition;
  const codes = new Set([...impliedCodes(definition), ...(Object.keys(errors) as ErrorCode[])]);
  const messages = { ...defaultMessages(definition, noun), ...errors };
  const isAdmin = auth === 'admin' || auth === 'member';
  const samplesOf = (code: ErrorCode): readonly ErrorSample[] => {
    const message = messages[code];
    if (typeof message === 'string') return [[code, errorTable[code].condition, message]];
    return isAdmin && code === 'forbidden' ? adminForbidden : samples[code];
  };
  const bodyOf = (code: ErrorCode, message: string, details?: object) =>
    definition.formatError
      ? definition.formatError(new ApiError(code, message, details)).body
      : error(code, message, details);
  const examplesOf = (code: ErrorCode): Examples =>
    Object.fromEntries(
      samplesOf(code).map(([name, summary, message, details]) => [
        name,
        [summary, bodyOf(code, message, details)],
      ]),
    );
  return Object.fromEntries(
    [...codes].map((code) => [
      errorTable[code].http,
      {
        description: `\`${code}\`: ${errorTable[code].condition}`,
        schema: definition.errorSchema ?? ErrorResponse,
        examples: examplesOf(code),
        ...(code === 'rate_limited' ? { headers: ['Retry-After'] } : {}),
        ...(isAdmin && code === 'forbidden' ? { headers: ['vidgen-confirm'] } : {}),
      } satisfies ResponseDescription,
    ]),
  );
}

/** Codes that follow from authorization, the rate limit and the parts of the request. */
function impliedCodes(definition: EndpointDefinition): ErrorCode[] {
  const { auth, method, path, query, permission, authorizesItself, optionalSession } = definition;
  const { sessionLimit } = definition;
  if (authorizesItself || (auth === 'none' && !optionalSession)) return [];
  const isRead = method === 'GET';
  const isForbidding =
    auth === 'key' ? permission !== undefined : !isRead || auth === 'admin' || auth === 'member';
  const implied = {
    invalid_api_key: true,
    internal_error: true,
    forbidden: isForbidding,
    rate_limited: auth === 'key' || sessionLimit !== undefined,
    invalid_request: query !== undefined || !isRead,
    not_found: path.includes('/:id'),
  };
  return (Object.keys(implied) as (keyof typeof implied)[]).filter((code) => implied[code]);
}

function defaultMessages(
  { auth, method, query, body, bodyType }: EndpointDefinition,
  noun: string | undefined,
): DefaultMessages {
  if (auth === 'key') return {};
  const takesNoBody = method !== 'GET' && !body && !bodyType;
  return {
    ...(auth === 'person' || auth === 'none' ? sessionMessages : adminMessages),
    ...(noun ? { not_found: `No ${noun} found with this ID.` } : {}),
    ...(query?.shape.limit ? { invalid_request: 'limit must be at most 100 (got "500")' } : {}),
    ...(query?.shape.format
      ? { invalid_request: 'format must be one of csv, json (got "xls")' }
      : {}),
    ...(takesNoBody ? { invalid_request: 'This endpoint takes no body; send none or {}.' } : {}),
  };
}
