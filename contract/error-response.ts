/** All API error codes (docs/spec.md 7), with their HTTP status and retry advice. */
import { z } from 'zod';

export const errorTable = {
  invalid_request: {
    http: 400,
    condition: 'Parameters missing or invalid.',
    retry: 'No; correct the request.',
  },
  invalid_api_key: {
    http: 401,
    condition: 'Key missing, invalid or revoked.',
    retry: 'No; use a valid key.',
  },
  insufficient_credits: {
    http: 402,
    condition: 'Not enough credits; the task is not accepted or charged.',
    retry: 'After a top-up.',
  },
  forbidden: { http: 403, condition: 'Key lacks the required permission.', retry: 'No.' },
  not_found: {
    http: 404,
    condition: 'Does not exist, or does not belong to the key owner.',
    retry: 'No.',
  },
  rate_limited: {
    http: 429,
    condition: 'Request rate exceeded.',
    retry: 'Yes; wait as the Retry-After header says.',
  },
  internal_error: { http: 500, condition: 'Server error.', retry: 'Yes; later.' },
} as const;
export type ErrorCode = keyof typeof errorTable;
const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** In all error bodies except those of the contract, which has no such field. */
export const NamedRequest = z.string().optional().describe('As the header `x-request-id`.');

export const ErrorResponse = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(errorCodes),
      message: z.string().describe('What is wrong, and what to do.'),
      required: z
        .int()
        .min(0)
        .optional()
        .describe('With `insufficient_credits`: what the task costs.'),
      available: z
        .int()
        .min(0)
        .optional()
        .describe('With `insufficient_credits`: what the account has.'),
      retry_after: z.int().min(0).optional().describe('With `rate_limited`: seconds to wait.'),
      request_id: NamedRequest,
    }),
  })
  .meta({ id: 'ErrorResponse' });
export type ErrorResponse = z.infer<typeof ErrorResponse>;
