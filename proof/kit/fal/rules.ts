/** The inputs of Seedance on fal, and the error responses of fal. */
import { type FakeResponse, type FieldMatcher, json, unmatchedField } from '../fake-upstream.ts';

/** An error of the model: a list of typed details. */
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

/** An error of the platform: one message and a type. */
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
    ...([
      422,
      'content_policy_violation',
      'The content was flagged by a checker',
      'prompt',
    ] as const),
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

const common: Readonly<Record<string, FieldMatcher>> = {
  prompt: 'string',
  duration: ['auto', ...Array.from({ length: 27 }, (_, index) => String(index + 4))],
  aspect_ratio: ['auto', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'],
  resolution: ['480p', '720p', '1080p', '4k'],
  generate_audio: 'boolean',
  seed: 'number',
  bitrate_mode: 'string',
};
const modes = {
  'text-to-video': common,
  'image-to-video': { ...common, image_url: 'url', end_image_url: 'url' },
  'reference-to-video': {
    ...common,
    image_urls: 'urls',
    video_urls: 'urls',
    audio_urls: 'urls',
    task: ['reference', 'editing', 'extension'],
  },
} as const satisfies Record<string, Readonly<Record<string, FieldMatcher>>>;
export type FalEndpointType = keyof typeof modes;

/** The endpoint of a path; undefined for an unknown app. */
export function endpointOf(path: string): { app: string; mode: FalEndpointType } | undefined {
  const endpoint = /^\/(bytedance\/seedance-2\.[05])\/(?:(?:fast|mini|us)\/)?([a-z-]+)$/;
  const [, app, mode] = endpoint.exec(path) ?? [];
  return app && mode! in modes ? { app, mode: mode as FalEndpointType } : undefined;
}

/** Returns the rejection of an input that no recorded one looks like, or null. */
export function validate(input: FalInput, mode: FalEndpointType): FakeResponse | null {
  const field = unmatchedField(input, modes[mode]);
  if (field === undefined) return null;
  return field in modes[mode]
    ? modelError(422, 'literal_error', 'Input should be another value', field)
    : modelError(422, 'extra_forbidden', 'Extra inputs are not permitted', field);
}
