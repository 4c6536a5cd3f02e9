/** The error answers of a route, from the contract's table, with an example of each code. */
import { type ErrorCode, ErrorResponse, errorTable } from '@vidgen/contract/error-response.ts';
import type { Examples, ResponseDescription } from './route-description.ts';

const error = (code: ErrorCode, message: string, details: object = {}) => ({
  error: { code, message, ...details },
});

const examples: Readonly<Record<ErrorCode, Examples>> = {
  invalid_request: {
    rules: {
      summary: 'Broken rules, all of them',
      value: error(
        'invalid_request',
        'input.duration must be 4 to 30 for vidgen-2-5 (got 45); ' +
          'input.seed is not supported by vidgen-2-5, omit it',
      ),
    },
    shape: {
      summary: 'A wrong type and an unknown field',
      value: error(
        'invalid_request',
        'input.watermark must be true or false (got "no"); ' +
          'input.durration is not a known field, did you mean input.duration?',
      ),
    },
  },
  invalid_api_key: {
    revoked: {
      summary: 'Key missing, invalid or revoked',
      value: error(
        'invalid_api_key',
        'The API key is not valid: it is unknown, expired or revoked.',
      ),
    },
  },
  insufficient_credits: {
    short: {
      summary: 'Not enough credits',
      value: error(
        'insufficient_credits',
        'This task needs 40 credits and 12 are available: top up, or ask for a shorter video or ' +
          'a lower resolution.',
        { required: 40, available: 12 },
      ),
    },
  },
  forbidden: {
    permission: {
      summary: 'The key lacks the permission',
      value: error(
        'forbidden',
        'The API key lacks the permission tasks:read: use a key that has it.',
      ),
    },
  },
  not_found: {
    unknown: {
      summary: 'Unknown, or somebody else’s',
      value: error('not_found', 'There is no task with this id in your account.'),
    },
  },
  rate_limited: {
    wait: {
      summary: 'Too many requests in the last minute',
      value: error(
        'rate_limited',
        'This API key may make 100 create requests a minute and has made them: try again in 7 s.',
        { retry_after: 7 },
      ),
    },
  },
  internal_error: {
    ours: {
      summary: 'Something broke here',
      value: error(
        'internal_error',
        'Something went wrong on our side: try again later, or ask us about req_9fJ2kQx7Lw0Zt4Ub.',
      ),
    },
  },
};

const errorDescription = (code: ErrorCode, own?: Examples): ResponseDescription => ({
  description: `\`${code}\`: ${errorTable[code].condition} Retry: ${errorTable[code].retry}`,
  schema: ErrorResponse,
  examples: own ?? examples[code],
  ...(code === 'rate_limited' ? { headers: ['Retry-After'] } : {}),
});

/** By status, as a route lists its answers. Examples of its own replace the general ones. */
export const errorResponses = (
  codes: readonly ErrorCode[],
  own: Readonly<Partial<Record<ErrorCode, Examples>>> = {},
): Record<number, ResponseDescription> =>
  Object.fromEntries(
    codes.map((code) => [errorTable[code].http, errorDescription(code, own[code])]),
  );

/** One example of a refusal in a route's own words. */
export const errorExample = (code: ErrorCode, message: string): Examples => ({
  [code]: { summary: errorTable[code].condition, value: error(code, message) },
});

/** Of endpoints that change something by their address alone. */
export const bodyErrors = {
  invalid_request: errorExample(
    'invalid_request',
    'This endpoint takes no body: send none, or {}.',
  ),
} as const;

/** What every endpoint that takes an API key can answer. */
export const apiKeyErrors = [
  'invalid_api_key',
  'forbidden',
  'rate_limited',
  'internal_error',
] as const;

const notSignedIn = errorExample(
  'invalid_api_key',
  'Nobody is signed in: sign in to the dashboard, or send "Authorization: Bearer ' +
    '<VIDGEN_ADMIN_TOKEN>".',
);
const notAllowed: Examples = {
  role: {
    summary: 'Too little of a role',
    value: error(
      'forbidden',
      'You are viewer in this account, and this takes developer: ask an owner of the account.',
    ),
  },
  confirm: {
    summary: 'The password is asked for again (`vidgen-confirm: password`)',
    value: error('forbidden', 'This needs your password again: confirm that it is you.'),
  },
};
const crossOrigin = errorExample(
  'forbidden',
  'This request did not come from a page of this service: open the dashboard here and try again, ' +
    'or use the admin token.',
);

type OwnExamples = Readonly<Partial<Record<ErrorCode, Examples>>>;

/** The admin token or a session; no permissions, no rate. */
export function adminErrors(
  codes: readonly ErrorCode[],
  own: OwnExamples = {},
): Record<number, ResponseDescription> {
  const all = new Set<ErrorCode>(['invalid_api_key', 'forbidden', ...codes, 'internal_error']);
  const general = { invalid_api_key: notSignedIn, forbidden: notAllowed };
  const responses = errorResponses([...all], { ...general, ...own });
  const { http } = errorTable.forbidden;
  return { ...responses, [http]: { ...responses[http]!, headers: ['vidgen-confirm'] } };
}

/** A session alone, or nobody in particular: then nothing is refused for want of one. */
export const sessionErrors = (
  codes: readonly ErrorCode[],
  own: OwnExamples = {},
  { isPublic = false }: { isPublic?: boolean } = {},
): Record<number, ResponseDescription> => {
  const general = {
    invalid_api_key: errorExample(
      'invalid_api_key',
      'Nobody is signed in: sign in to the dashboard.',
    ),
    forbidden: crossOrigin,
  };
  const first: ErrorCode[] = isPublic ? [] : ['invalid_api_key'];
  return errorResponses([...first, ...codes, 'internal_error'], { ...general, ...own });
};
