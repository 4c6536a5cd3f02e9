/** What Seedance on fal accepts, and the error responses of fal. */
import { type FakeResponse, json } from '../fake-upstream.ts';

type Detail = readonly [type: string, msg: string, field?: string];

/** Errors of the model: a list of typed details. */
const modelErrors = (status: number, details: readonly Detail[]): FakeResponse =>
  json(
    status,
    {
      detail: details.map(([type, msg, field]) => ({
        ...{ loc: ['body', ...(field ? [field] : [])], msg, type, ctx: {}, input: null },
      })),
    },
    { 'x-fal-retryable': 'false' },
  );

export const modelError = (
  status: number,
  type: string,
  msg: string,
  field?: string,
): FakeResponse => modelErrors(status, [field === undefined ? [type, msg] : [type, msg, field]]);

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
/** Of an app: `fast` and `mini` are other models, `us` other machines. */
type Tier = '' | 'fast' | 'mini' | 'us';

type Endpoint = {
  readonly app: string;
  readonly mode: FalEndpointType;
  readonly tier?: Tier;
};

/** The endpoint of a path; undefined for an unknown app. */
export function endpointOf(path: string): Required<Endpoint> | undefined {
  const parts =
    /^\/(bytedance\/seedance-2\.0)\/(?:(fast|mini)\/)?([a-z-]+)$/.exec(path) ??
    /^\/(bytedance\/seedance-2\.5)\/(?:(us)\/)?([a-z-]+)$/.exec(path);
  const mode = parts?.[3] as FalEndpointType;
  return parts && mode in modes
    ? { app: parts[1]!, mode, tier: (parts[2] ?? '') as Tier }
    : undefined;
}

type Schema = {
  readonly resolutions: readonly string[];
  readonly secondsMax: number;
  readonly most: Readonly<Record<string, number>>;
  /** Of all files together. */
  readonly filesMax: number;
  readonly tasks: readonly string[];
  readonly audioAlone: boolean;
};

const schema20: Schema = {
  resolutions: ['480p', '720p', '1080p', '4k'],
  secondsMax: 15,
  most: { image_urls: 9, video_urls: 3, audio_urls: 3 },
  filesMax: 12,
  tasks: [],
  audioAlone: false,
};
const schema25: Schema = {
  resolutions: ['480p', '720p', '1080p'],
  secondsMax: 30,
  most: { image_urls: 30, video_urls: 10, audio_urls: 10 },
  filesMax: 50,
  tasks: ['reference', 'editing', 'extension'],
  audioAlone: true,
};

/** Every model has its own schema, and the smaller ones have fewer resolutions. */
const schemaOf = ({ app, tier = '' }: Endpoint): Schema => ({
  ...(app.endsWith('2.5') ? schema25 : schema20),
  ...(tier === '' ? {} : { resolutions: ['480p', '720p'] }),
});

/** Returns the rejection of an input with all its errors, or null when it is accepted. */
export function validate(input: FalInput, endpoint: Endpoint): FakeResponse | null {
  const schema = schemaOf(endpoint);
  const { mode } = endpoint;
  const details = [
    ...findFieldErrors(input, mode, schema),
    ...(mode === 'image-to-video' ? findFrameErrors(input) : []),
    ...(mode === 'reference-to-video' ? findFileErrors(input, schema) : []),
  ];
  return details.length === 0 ? null : modelErrors(422, details);
}

/** Pydantic's message for a choice. */
function findChoiceError(
  input: FalInput,
  field: string,
  options: readonly string[],
): readonly Detail[] {
  const { [field]: value } = input;
  if (value === undefined || options.includes(value as string)) return [];
  const quoted = options.map((option) => `'${option}'`);
  const msg = `Input should be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return [['literal_error', msg, field]];
}

function findFieldErrors(input: FalInput, mode: FalEndpointType, schema: Schema): Detail[] {
  const allowed: readonly string[] = [...common, ...modes[mode]];
  const { prompt, seed, generate_audio: sound } = input;
  const seconds = Array.from({ length: schema.secondsMax - 3 }, (_, index) => String(index + 4));
  const details: Detail[] = Object.keys(input)
    .filter((name) => !allowed.includes(name))
    .map((name) => ['extra_forbidden', 'Extra inputs are not permitted', name]);
  if (typeof prompt !== 'string' || prompt === '') {
    details.push(['missing', 'Field required', 'prompt']);
  }
  if (seed !== undefined && !Number.isInteger(seed)) {
    details.push(['int_type', 'Input should be a valid integer', 'seed']);
  }
  if (sound !== undefined && typeof sound !== 'boolean') {
    details.push(['bool_type', 'Input should be a valid boolean', 'generate_audio']);
  }
  const ratios = ['auto', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'];
  return [
    ...details,
    ...findChoiceError(input, 'duration', ['auto', ...seconds]),
    ...findChoiceError(input, 'aspect_ratio', ratios),
    ...findChoiceError(input, 'resolution', schema.resolutions),
  ];
}

const isUrl = (value: unknown): boolean => typeof value === 'string' && /^https?:/.test(value);

function findFrameErrors({ image_url: first, end_image_url: last }: FalInput): Detail[] {
  return [
    ...(isUrl(first) ? [] : [['missing', 'Field required', 'image_url'] as const]),
    ...(last === undefined || isUrl(last)
      ? []
      : [['url_parsing', 'Input should be a valid URL', 'end_image_url'] as const]),
  ];
}

function findFileErrors(input: FalInput, schema: Schema): Detail[] {
  const details: Detail[] = [];
  const count = (name: string) => (Array.isArray(input[name]) ? input[name].length : 0);
  for (const [name, limit] of Object.entries(schema.most)) {
    const list = input[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every(isUrl)) {
      details.push(['list_type', 'Input should be a valid list of URLs', name]);
    } else if (list.length > limit) {
      const msg = `List should have at most ${limit} items after validation, not ${list.length}`;
      details.push(['too_long', msg, name]);
    }
  }
  const files = Object.keys(schema.most).reduce((sum, name) => sum + count(name), 0);
  if (files > schema.filesMax) {
    details.push(['value_error', `At most ${schema.filesMax} files in total`, 'image_urls']);
  }
  if (files > 0 && files === count('audio_urls') && !schema.audioAlone) {
    details.push(['value_error', 'Audio requires a reference image or video', 'audio_urls']);
  }
  const { task, aspect_ratio: ratio = 'auto' } = input;
  if (task !== undefined && schema.tasks.length === 0) {
    details.push(['extra_forbidden', 'Extra inputs are not permitted', 'task']);
  } else {
    details.push(...findChoiceError(input, 'task', schema.tasks));
  }
  // Both take their ratio from the video.
  if ((task === 'editing' || task === 'extension') && ratio !== 'auto') {
    details.push(['value_error', `aspect_ratio must be auto for ${task}`, 'aspect_ratio']);
  }
  return details;
}
