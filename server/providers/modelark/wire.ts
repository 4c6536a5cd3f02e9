/**
 * ModelArk's words: our generation as its create request, its tasks and lists as values. What is
 * read is never trusted to have a type; what is sent leaves nothing priced to be chosen there.
 */
import { createHash } from 'node:crypto';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { StartRequest } from '../provider.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';
import { asNumber, asOperation, asRecord, asText, asUrl } from '../toolkit/response-values.ts';

/** Seconds after which a queued or running task becomes `expired`, as far as they can be set. */
const expiresAfterSecondsMin = 3_600;
const expiresAfterSecondsMax = 259_200;
const safetyIdentifierLengthMax = 64;
/** The upstream's newer page ends here, its older one at our own limit of 2^32 - 1. */
const seedMax = 2_147_483_647;

export type CreateBodyOptions = { readonly model: string; readonly forwardSeed: boolean };

/**
 * The create request. Every field that has a default is sent: model 2.5 would choose its own
 * length.
 */
export function createBody(request: StartRequest, options: CreateBodyOptions) {
  const { generation } = request;
  const seed = options.forwardSeed ? upstreamSeed(generation.seed) : undefined;
  return {
    model: options.model,
    content: contentOf(generation),
    resolution: generation.resolution,
    ratio: generation.aspectRatio,
    duration: generation.duration,
    generate_audio: generation.generateAudio,
    watermark: generation.watermark,
    return_last_frame: generation.returnLastFrame,
    execution_expires_after: expiresAfterSeconds(request.secondsLeft),
    safety_identifier: safetyIdentifierOf(request.reference),
    ...(seed === undefined ? {} : { seed }),
    ...(generation.webSearch ? { tools: [{ type: 'web_search' }] } : {}),
    // Said outright, a wrong edit is refused at once; left to guessing, it fails minutes later.
    ...(generation.duration === -1 ? { omni_reference_task_type: 'edit' } : {}),
    // Ours, never the customer's: the upstream calls on every change and signs nothing.
    ...(request.providerCallbackUrl === undefined
      ? {}
      : { callback_url: request.providerCallbackUrl }),
  };
}

/** Prompt first, then materials in the customer's order: prompts speak of "Image 1", "Video 2". */
function contentOf(generation: Generation) {
  const text = { type: 'text', text: withoutParameters(generation.prompt) };
  switch (generation.generationType) {
    case 'text-to-video':
      return [text];
    case 'image-to-video': {
      // Frames and references exclude each other, so nothing else may go along.
      const [first, last] = generation.imageUrls;
      return [
        text,
        ...(first === undefined ? [] : [image(first, 'first_frame')]),
        ...(last === undefined ? [] : [image(last, 'last_frame')]),
      ];
    }
    case 'reference-to-video':
      return [
        text,
        ...generation.imageUrls.map((url) => image(url, 'reference_image')),
        ...generation.videoUrls.map((url) => ({
          type: 'video_url',
          video_url: { url },
          role: 'reference_video',
        })),
        ...generation.audioUrls.map((url) => ({
          type: 'audio_url',
          audio_url: { url },
          role: 'reference_audio',
        })),
      ];
  }
}

const image = (url: string, role: 'first_frame' | 'last_frame' | 'reference_image') => ({
  type: 'image_url',
  image_url: { url },
  role,
});

/** -1 and none both mean "any seed"; 0 is a seed. Large ones are folded, so equal stays equal. */
function upstreamSeed(seed: number | null): number | undefined {
  if (seed === null || seed < 0) return undefined;
  return seed > seedMax ? seed - (seedMax + 1) : seed;
}

/** The task's deadline may be nearer than the floor: then our own deadline ends it. */
function expiresAfterSeconds(secondsLeft: number): number {
  const seconds = Math.ceil(secondsLeft);
  return Math.min(Math.max(seconds, expiresAfterSecondsMin), expiresAfterSecondsMax);
}

/** Our reference as the upstream stores and lists it; one that is too long goes as its hash. */
export function safetyIdentifierOf(reference: string): string {
  if (reference.length <= safetyIdentifierLengthMax) return reference;
  return createHash('sha256').update(reference).digest('hex');
}

/** A task as the upstream tells it; what is missing or has another type is undefined. */
export type UpstreamTask = {
  readonly id: string | undefined;
  readonly status: string | undefined;
  /** Unix time in seconds. */
  readonly createdSeconds: number | undefined;
  readonly safetyIdentifier: string | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly videoUrl: string | undefined;
  readonly lastFrameUrl: string | undefined;
  readonly outputSeconds: number | undefined;
};

export function readTask(json: unknown): UpstreamTask | undefined {
  const task = asRecord(json);
  if (!task) return undefined;
  const content = asRecord(task.content);
  const error = asRecord(task.error);
  return {
    id: asOperation(task.id),
    status: asText(task.status),
    createdSeconds: asNumber(task.created_at),
    safetyIdentifier: asText(task.safety_identifier),
    error: error && { code: asText(error.code) ?? '', message: asText(error.message) ?? '' },
    videoUrl: asUrl(content?.video_url),
    lastFrameUrl: asUrl(content?.last_frame_url),
    outputSeconds: asNumber(task.duration),
  };
}

export function readPage(json: unknown): { total: number; tasks: UpstreamTask[] } | undefined {
  const page = asRecord(json);
  const total = asNumber(page?.total);
  if (!page || total === undefined || !Array.isArray(page.items)) return undefined;
  const tasks = page.items.map(readTask);
  return tasks.every((task) => task !== undefined) ? { total, tasks } : undefined;
}
