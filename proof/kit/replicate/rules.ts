/** The inputs that Replicate accepts, and its error responses. */
import { type FakeResponse, type FieldMatcher, json, unmatchedField } from '../fake-upstream.ts';

const problem = (status: number, title: string, detail: string): FakeResponse =>
  json(status, { title, detail, status });

const invalid = (field: string, description: string): FakeResponse =>
  problem(422, 'Input validation failed', `- ${field}: ${description}\n`);

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
  'input refused': invalid('input.duration', 'Must be less than or equal to 15'),
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

const inputs: Readonly<Record<string, FieldMatcher>> = {
  prompt: 'string',
  image: 'url',
  last_frame_image: 'url',
  reference_images: 'urls',
  reference_videos: 'urls',
  reference_audios: 'urls',
  duration: [-1, ...Array.from({ length: 27 }, (_, index) => index + 4)],
  resolution: ['480p', '720p', '1080p', '4k'],
  aspect_ratio: ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'],
  generate_audio: 'boolean',
  seed: 'number',
};
const inputsOf25 = { ...inputs, watermark: 'boolean' } as const;

/** Returns the rejection of a create that no recorded one looks like, or null. */
export function validate(body: ReplicateCreateBody, model: string): FakeResponse | null {
  const { input, webhook, webhook_events_filter: _, version: __, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown) return invalid(unknown, 'Additional property is not allowed');
  if (webhook && !webhook.startsWith('https://')) return invalid('webhook', 'Must be HTTPS');
  const field = unmatchedField(input ?? {}, model.endsWith('2.5') ? inputsOf25 : inputs);
  return field === undefined ? null : invalid(`input.${field}`, 'Does not match the schema');
}
