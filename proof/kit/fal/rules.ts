/** What Seedance on fal accepts, and the error responses of fal. */
import { type FakeResponse, json } from '../fake-upstream.ts';

/** An error of the model: a list of typed details. */
export const modelError = (
  status: number,
  type: string,
  msg: string,
  field?: string,
): FakeResponse =>
  json(
    status,
    { detail: [{ loc: ['body', ...(field ? [field] : [])], msg, type, ctx: {}, input: null }] },
    { 'x-fal-retryable': 'false' },
  );

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

const ratios = ['auto', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'];
const resolutions = ['480p', '720p', '1080p', '4k'];
const common = [
  ...['prompt', 'duration', 'aspect_ratio', 'resolution', 'generate_audio', 'seed'],
  ...['end_user_id', 'bitrate_mode'],
];
const modes = {
  'text-to-video': [],
  'image-to-video': ['image_url', 'end_image_url'],
  'reference-to-video': ['image_urls', 'video_urls', 'audio_urls', 'task'],
} as const;
export type FalEndpointType = keyof typeof modes;

/** The endpoint of a path; undefined for an unknown app. */
export function endpointOf(path: string): { app: string; mode: FalEndpointType } | undefined {
  const parts = /^\/(bytedance\/seedance-2\.[05])((?:\/(?:fast|mini|us))?)\/([a-z-]+)$/.exec(path);
  const mode = parts?.[3] as FalEndpointType;
  return parts && mode in modes ? { app: parts[1]!, mode } : undefined;
}

/** Returns the rejection of an input, or null when it is accepted. */
export function validate(
  input: FalInput,
  { app, mode }: { readonly app: string; readonly mode: FalEndpointType },
): FakeResponse | null {
  const wrong = (field: string, type: string, msg: string) => modelError(422, type, msg, field);
  const is25 = app.endsWith('2.5');
  const { prompt, duration = 'auto', aspect_ratio: ratio = 'auto', resolution = '720p' } = input;
  const allowed: readonly string[] = [...common, ...modes[mode]];
  const strange = Object.keys(input).find((name) => !allowed.includes(name));
  if (strange) return wrong(strange, 'extra_forbidden', 'Extra inputs are not permitted');
  if (typeof prompt !== 'string' || prompt === '') {
    return wrong('prompt', 'missing', 'Field required');
  }
  const seconds = Array.from({ length: is25 ? 27 : 12 }, (_, index) => String(index + 4));
  if (!['auto', ...seconds].includes(duration as string)) {
    return wrong('duration', 'literal_error', "Input should be 'auto', '4', '5' …");
  }
  if (!ratios.includes(String(ratio))) return wrong('aspect_ratio', 'literal_error', 'no such');
  if (!resolutions.includes(String(resolution))) {
    return wrong('resolution', 'literal_error', 'no such');
  }
  return mode === 'image-to-video' ? validateFrames(input) : validateFiles(input, is25);
}

const isUrl = (value: unknown): boolean => typeof value === 'string' && /^https?:/.test(value);

function validateFrames({ image_url: first, end_image_url: last }: FalInput): FakeResponse | null {
  if (!isUrl(first)) return modelError(422, 'missing', 'Field required', 'image_url');
  if (last === undefined || isUrl(last)) return null;
  return modelError(422, 'url_parsing', 'Input should be a valid URL', 'end_image_url');
}

function validateFiles(input: FalInput, is25: boolean): FakeResponse | null {
  const most = is25
    ? { image_urls: 30, video_urls: 10, audio_urls: 10 }
    : { image_urls: 9, video_urls: 3, audio_urls: 3 };
  let files = 0;
  for (const [name, limit] of Object.entries(most)) {
    const list = input[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every(isUrl) || list.length > limit) {
      return modelError(422, 'too_long', `at most ${limit} addresses`, name);
    }
    files += list.length;
  }
  if (!is25 && files > 12) return modelError(422, 'value_error', 'at most 12 files', 'image_urls');
  const { task } = input;
  const tasks = is25 ? [undefined, 'reference', 'editing', 'extension'] : [undefined];
  if (!tasks.includes(task as string)) {
    const message = 'Input should be reference, editing or extension';
    return modelError(422, 'literal_error', message, 'task');
  }
  // Both take their ratio from the video.
  const isLocked = task === 'editing' || task === 'extension';
  return isLocked && (input.aspect_ratio ?? 'auto') !== 'auto'
    ? modelError(422, 'value_error', `aspect_ratio must be auto for ${task}`, 'aspect_ratio')
    : null;
}
