/**
 * The wire format of `/v1/videos`: the fields of a create request, videos and lists. No field that
 * names a path on the server is ever sent.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ReportedCost } from '../provider.ts';
import { explicitSeed, withoutParameters } from '../toolkit/generation-input.ts';
import { fillFields } from '../toolkit/options.ts';
import { asNumber, asOperation, asRecord, asText, asUrl } from '../toolkit/response-values.ts';
import { videoError } from './errors.ts';

export type Fields = Readonly<Record<string, string | number | boolean>>;

export type FieldOptions = {
  /** From the configuration, sent with every start. */
  readonly fields: Fields;
  readonly forwardSeed: boolean;
  readonly guardsPrompt: boolean;
  /** Whether the model can generate audio. */
  readonly sound: boolean | undefined;
};

/** Fields that each task sets, and fields with which a server reads or writes its own files. */
export const reservedFields: readonly string[] = [
  ...['prompt', 'model', 'seconds', 'size', 'width', 'height', 'num_frames', 'seed', 'n'],
  ...['generate_sound', 'input_reference', 'input_references', 'image_reference'],
  ...['video_reference', 'audio_reference', 'reference_url', 'video_url', 'video_path'],
  ...['output_path', 'perf_dump_path', 'num_outputs_per_prompt'],
];

/**
 * `generate_audio` applies "when supported" (docs/spec.md 2.2), so it is sent to models that are
 * configured with `sound`. `web_search` and `return_last_frame` have no field and are ignored: no
 * last frame then.
 */
export function createFields(
  generation: Generation,
  wanted: { readonly model: string; readonly size: string; readonly seconds: number },
  { fields, forwardSeed, guardsPrompt, sound }: FieldOptions,
): Fields {
  const seed = forwardSeed ? explicitSeed(generation) : undefined;
  return {
    ...fillFields(fields, generation),
    prompt: guardsPrompt ? withoutParameters(generation.prompt) : generation.prompt,
    model: wanted.model,
    seconds: wanted.seconds,
    size: wanted.size,
    ...(seed === undefined ? {} : { seed }),
    ...(sound ? { generate_sound: generation.generateAudio } : {}),
  };
}

/** How `model` ends when it carries the reference. */
export const referenceSuffix = (reference: string): string => `#${reference}`;
export const modelWithReference = (model: string, reference: string): string =>
  model + referenceSuffix(reference);

const states = {
  queued: 'running',
  in_progress: 'running',
  pending: 'running',
  processing: 'running',
  completed: 'completed',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
  canceled: 'cancelled',
} as const;
export const stateOf = (status = ''): (typeof states)[keyof typeof states] | undefined =>
  Object.hasOwn(states, status) ? states[status as keyof typeof states] : undefined;

export type Video = NonNullable<ReturnType<typeof readVideo>>;

export function readVideo(json: unknown) {
  const video = asRecord(json);
  if (!video) return undefined;
  const progress = asNumber(video.progress);
  return {
    id: asOperation(video.id),
    status: asText(video.status),
    model: asText(video.model),
    /** From 0 to 1. */
    progress: progress === undefined ? undefined : Math.min(progress, 100) / 100,
    /** Unix time, as the next. */
    createdSeconds: asNumber(video.created_at),
    /** When its file is deleted. */
    expiresSeconds: asNumber(video.expires_at),
    // A number in some dialects, text in most.
    outputSeconds: asNumber(Number(video.seconds ?? Number.NaN)),
    error: videoError(video.error),
    /** Of the file, when it is not at `/content`. */
    url: asUrl(video.url) ?? asUrl(asRecord(video.metadata)?.url),
    hasNoFile: keptNoFile(video),
    cost: costIn(asRecord(video.usage)?.cost),
  };
}

/** OpenRouter's `usage.cost` is in credits, which are US dollars. */
const costIn = (cost: unknown): ReportedCost | undefined => {
  const amount = asNumber(cost);
  return amount === undefined ? undefined : { amount, currency: 'USD' };
};

/**
 * Whether the server says that it kept no file. vLLM-Omni has a file name, SGLang a path or a cloud
 * URL; all null means no file.
 */
function keptNoFile(video: Record<string, unknown>): boolean {
  const fileFields = ['file_name', 'file_path', 'url'].filter((name) => name in video);
  return (
    fileFields.some((name) => name !== 'url') &&
    fileFields.every((name) => asText(video[name]) === undefined)
  );
}

export function readVideos(json: unknown): Video[] | undefined {
  const items = asRecord(json)?.data;
  if (!Array.isArray(items)) return undefined;
  const videos = items.map(readVideo);
  return videos.every((video) => video !== undefined) ? videos : undefined;
}
