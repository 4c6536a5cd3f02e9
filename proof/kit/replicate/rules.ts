/** What Replicate accepts as a create, and its error responses. */
import { type FakeResponse, json } from '../fake-upstream.ts';

const problem = (status: number, title: string, detail: string): FakeResponse =>
  json(status, { title, detail, status });

export const errorResponses = {
  'wrong key': problem(401, 'Unauthenticated', 'You did not pass a valid authentication token'),
  'no such thing': json(404, { detail: 'The requested resource could not be found.' }),
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

/** The body of a create by model, version or deployment. */
export type ReplicateCreateBody = {
  readonly version?: unknown;
  readonly input?: unknown;
  readonly webhook?: unknown;
  readonly webhook_events_filter?: unknown;
};

export type Input = Readonly<Record<string, unknown>>;

const events = ['start', 'output', 'logs', 'completed'];
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'];
const common = [
  ...['prompt', 'image', 'last_frame_image', 'duration', 'resolution', 'aspect_ratio'],
  ...['generate_audio', 'seed', 'reference_images', 'reference_videos', 'reference_audios'],
];
/** Every model has its own input schema. */
const schema20 = {
  known: common,
  resolutions: ['480p', '720p', '1080p', '4k'],
  secondsMax: 15,
  promptMax: 4_000,
  listsMax: { reference_images: 9, reference_videos: 3, reference_audios: 3 },
};
const schema25: typeof schema20 = {
  known: [...common, 'watermark', 'output_format'],
  resolutions: ['480p', '720p'],
  secondsMax: 30,
  promptMax: Number.POSITIVE_INFINITY,
  listsMax: { reference_images: 30, reference_videos: 10, reference_audios: 10 },
};

/** Returns the rejection of a create, or null when it is accepted. */
export function validate(
  body: ReplicateCreateBody,
  headers: Readonly<Record<string, unknown>>,
  model = 'bytedance/seedance-2.0',
): FakeResponse | null {
  const wrong = (detail: string) => problem(422, 'Input validation failed', `- ${detail}\n`);
  const { input, webhook, webhook_events_filter: filter } = body;
  if (typeof input !== 'object' || input === null) return wrong('input is required');
  if (webhook !== undefined && !/^https:\/\/./.test(String(webhook))) {
    return wrong('webhook: must be a valid HTTPS URL');
  }
  const isFilter = (list: unknown): boolean =>
    Array.isArray(list) && list.every((event) => events.includes(event));
  if (filter !== undefined && !isFilter(filter)) return wrong('webhook_events_filter: invalid');
  const deadline = headers['cancel-after'];
  if (deadline !== undefined && !/^\d+([smh]\d+)*[smh]?$/.test(String(deadline))) {
    return problem(400, 'Bad request', 'Cancel-After: not a duration');
  }
  const inputProblem = findInputProblem(
    input as Input,
    model.endsWith('seedance-2.5') ? schema25 : schema20,
  );
  return inputProblem === null ? null : wrong(inputProblem);
}

function findInputProblem(input: Input, schema: typeof schema20): string | null {
  const { known, resolutions, secondsMax, promptMax } = schema;
  const { prompt, duration = 5, resolution = '720p', aspect_ratio: ratio = '16:9', seed } = input;
  const strange = Object.keys(input).find((name) => !known.includes(name));
  if (strange) return `input.${strange}: Additional property is not allowed`;
  if (typeof prompt !== 'string' || prompt === '') return 'input: prompt is required';
  if (prompt.length > promptMax) return `input.prompt: Length must be at most ${promptMax}`;
  if (!Number.isInteger(duration) || Number(duration) < -1 || Number(duration) > secondsMax) {
    return `input.duration: Must be between -1 and ${secondsMax}`;
  }
  if (!resolutions.includes(String(resolution))) return 'input.resolution: not one of the options';
  if (!ratios.includes(String(ratio))) return 'input.aspect_ratio: not one of the options';
  if (seed !== undefined && !Number.isInteger(seed)) return 'input.seed: Expected an integer';
  if (!['undefined', 'boolean'].includes(typeof input.watermark)) {
    return 'input.watermark: Expected a boolean';
  }
  return findFileProblem(input, schema.listsMax);
}

function findFileProblem(input: Input, listsMax: Readonly<Record<string, number>>): string | null {
  const isUrl = (value: unknown) => typeof value === 'string' && /^https?:/.test(value);
  for (const name of ['image', 'last_frame_image']) {
    if (name in input && !isUrl(input[name])) return `input.${name}: Does not match 'uri'`;
  }
  if (input.last_frame_image && !input.image) return 'input.last_frame_image: needs an image';
  const lists = Object.entries(listsMax).map(([name, most]) => ({ name, most, list: input[name] }));
  for (const { name, most, list } of lists) {
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every(isUrl)) return `input.${name}: Expected uris`;
    if (list.length > most) return `input.${name}: Must have at most ${most} items`;
  }
  const hasReferences = lists.some(({ list }) => list !== undefined);
  if (hasReferences && input.image) return 'input.image: cannot be mixed with references';
  if (input.reference_audios && !input.reference_images && !input.reference_videos) {
    return 'input.reference_audios: needs an image or a video';
  }
  return null;
}
