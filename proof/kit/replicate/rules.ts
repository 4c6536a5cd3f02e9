/** The body of a create, and the error responses of Replicate. */
import { type FakeResponse, json } from '../fake-upstream.ts';

const problem = (status: number, title: string, detail: string): FakeResponse =>
  json(status, { title, detail, status });

export const errorResponses = {
  'wrong key': problem(401, 'Unauthenticated', 'You did not pass a valid authentication token'),
  'no such thing': json(404, { detail: 'The requested resource could not be found.' }),
  'no such version': problem(
    422,
    'Invalid version or not permitted',
    "The specified version does not exist (or perhaps you don't have permission to use it?)",
  ),
  throttled: {
    ...json(429, { detail: 'Request was throttled. Your rate limit resets in ~30s.' }),
    headers: { 'retry-after': '30' },
  },
  'throttled without a header': json(429, {
    detail: 'Request was throttled. Your rate limit resets in ~12s.',
  }),
  'no credit': problem(
    402,
    'Insufficient credit',
    'You have insufficient credit to run this model.',
  ),
  'content refused': problem(
    422,
    'Input validation failed',
    'The input was flagged as sensitive. Please try again with different inputs. (E005)',
  ),
  'input refused': problem(
    422,
    'Input validation failed',
    '- input.duration: Must be less than or equal to 15\n',
  ),
  'server error': json(500, { detail: 'Internal server error' }),
  'bad gateway': { status: 502, body: '<html>502 Bad Gateway</html>' },
} as const satisfies Record<string, FakeResponse>;

export type Input = Readonly<Record<string, unknown>>;

/** The body of a create by model, version or deployment. */
export type ReplicateCreateBody = {
  readonly version?: unknown;
  readonly input?: Input;
  readonly webhook?: string;
  readonly webhook_events_filter?: readonly string[];
};
