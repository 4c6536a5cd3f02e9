/**
 * The words of `/v1/videos`: our generation as fields of a create, its videos and lists as values.
 * A field that names a path on the server is never sent, whoever asks for it.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';
import { asNumber, asOperation, asRecord, asText, asUrl } from '../toolkit/response-values.ts';
import { type OpenAiVideosError, videoError } from './errors.ts';

export type FieldValue = string | number | boolean;
export type Fields = Readonly<Record<string, FieldValue>>;

export type FieldOptions = {
  /** Sent along with every start, as the operator configured it. */
  readonly fields: Fields;
  readonly forwardSeed: boolean;
  readonly guardsPrompt: boolean;
  /** Whether the model makes sound when asked; undefined: it is not asked. */
  readonly sound: boolean | undefined;
};

/** What each task decides, and what would let a server read or write its own files. */
export const reservedFields: readonly string[] = [
  ...['prompt', 'model', 'seconds', 'size', 'width', 'height', 'num_frames', 'seed', 'n'],
  ...['generate_sound', 'input_reference', 'input_references', 'image_reference'],
  ...['video_reference', 'audio_reference', 'reference_url', 'video_url', 'video_path'],
  ...['output_path', 'perf_dump_path', 'num_outputs_per_prompt'],
];

/**
 * `generate_audio` asks for sound "when supported" (Spec 2.2): only a model that is configured to
 * make it is asked. `web_search` and `return_last_frame` have no field here, and promise nothing
 * that is not available: they are left out, and the last frame of the task is null.
 */
export function createFields(
  generation: Generation,
  wanted: { readonly model: string; readonly size: string },
  { fields, forwardSeed, guardsPrompt, sound }: FieldOptions,
): Fields {
  // -1 and none both mean "any seed"; 0 is a seed.
  const seed = forwardSeed ? (generation.seed ?? -1) : -1;
  return {
    ...fields,
    prompt: guardsPrompt ? withoutParameters(generation.prompt) : generation.prompt,
    model: wanted.model,
    seconds: generation.duration,
    size: wanted.size,
    ...(seed < 0 ? {} : { seed }),
    ...(sound ? { generate_sound: generation.generateAudio } : {}),
  };
}

/** What `model` says when it carries our reference. */
export const referenceSuffix = (reference: string): string => `#${reference}`;
export const modelWithReference = (model: string, reference: string): string =>
  model + referenceSuffix(reference);

/** A video as the upstream tells it; what is missing or has another type is undefined. */
export type Video = {
  readonly id: string | undefined;
  readonly status: string | undefined;
  readonly model: string | undefined;
  /** From 0 to 1. */
  readonly progress: number | undefined;
  /** Unix time in seconds. */
  readonly createdSeconds: number | undefined;
  /** When its file is deleted. */
  readonly expiresSeconds: number | undefined;
  readonly outputSeconds: number | undefined;
  readonly error: OpenAiVideosError | undefined;
  /** An address of the file, where it is not behind `/content`. */
  readonly url: string | undefined;
  /** It says of itself that no file was kept. */
  readonly hasNoFile: boolean;
};

export function readVideo(json: unknown): Video | undefined {
  const video = asRecord(json);
  if (!video) return undefined;
  const progress = asNumber(video.progress);
  return {
    id: asOperation(video.id),
    status: asText(video.status),
    model: asText(video.model),
    progress: progress === undefined ? undefined : Math.min(progress, 100) / 100,
    createdSeconds: asNumber(video.created_at),
    expiresSeconds: asNumber(video.expires_at),
    // Some tell it as a number, most as text.
    outputSeconds: asNumber(Number(video.seconds ?? Number.NaN)),
    error: videoError(video.error),
    url: asUrl(video.url) ?? asUrl(asRecord(video.metadata)?.url),
    hasNoFile: keptNoFile(video),
  };
}

/** vLLM-Omni names the file, SGLang its path or its address in a cloud: all null is no file. */
function keptNoFile(video: Record<string, unknown>): boolean {
  const fileFields = ['file_name', 'file_path', 'url'].filter((name) => name in video);
  return (
    fileFields.some((name) => name !== 'url') &&
    fileFields.every((name) => asText(video[name]) === undefined)
  );
}

export function readList(json: unknown): Video[] | undefined {
  const items = asRecord(json)?.data;
  if (!Array.isArray(items)) return undefined;
  const videos = items.map(readVideo);
  return videos.every((video) => video !== undefined) ? videos : undefined;
}
