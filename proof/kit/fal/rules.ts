/** The endpoints and the error responses of fal. */
import { type FakeResponse, json } from '../fake-upstream.ts';

export const modelError = (
  status: number,
  type: string,
  msg: string,
  field?: string,
): FakeResponse => {
  const loc = field === undefined ? ['body'] : ['body', field];
  const detail = [{ loc, msg, type, ctx: {}, input: null }];
  return json(status, { detail }, { 'x-fal-retryable': 'false' });
};

export const platformError = (status: number, type: string, detail: string): FakeResponse =>
  json(status, { detail, error_type: type }, { 'x-fal-error-type': type });

export const errorResponses = {
  'wrong key': json(401, { detail: 'Cannot access application: authentication is required' }),
  'no balance': json(403, { detail: 'User is locked. Reason: Exhausted balance.' }),
  'no such app': json(404, { detail: 'Application not found' }),
  'no such request': json(404, { detail: 'Request not found' }),
  throttled: json(429, { detail: 'Too many requests' }, { 'retry-after': '7' }),
  'still in progress': json(400, { detail: 'Request is still in progress' }),
  'content refused': modelError(
    422,
    'content_policy_violation',
    'The content was flagged',
    'prompt',
  ),
  'input refused': modelError(
    422,
    'literal_error',
    "Input should be 'auto', '4' or '5'",
    'duration',
  ),
  'file refused': modelError(422, 'file_download_error', 'Failed to download', 'image_url'),
  'plain refusal': json(422, { detail: 'Something about the input is wrong' }),
  'server error': json(500, { detail: 'Internal Server Error' }),
  'bad gateway': { status: 502, body: '<html>502 Bad Gateway</html>' },
  'runner lost': platformError(503, 'runner_disconnected', 'Runner disconnected'),
  'not begun in time': {
    ...platformError(504, 'request_timeout', 'Request timed out'),
    headers: { 'x-fal-error-type': 'request_timeout', 'x-fal-request-timeout-type': 'user' },
  },
} as const satisfies Record<string, FakeResponse>;

export type FalInput = Readonly<Record<string, unknown>>;

export const appOf = (path: string): string | undefined =>
  /^\/(bytedance\/seedance-2\.[05])\/(?:(?:fast|mini|us)\/)?(text|image|reference)-to-video$/.exec(
    path,
  )?.[1];
