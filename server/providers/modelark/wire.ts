/**
 * ModelArk's wire format: the body of a create request, and its tasks and lists. A create request
 * sets everything that affects the price.
 */
import { createHash } from 'node:crypto';
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import type { StartRequest } from '../provider.ts';
import { foldedSeed, withoutParameters } from '../toolkit/generation-input.ts';
import { asNumber, asOperation, asRecord, asText, asUrl } from '../toolkit/response-values.ts';

/**
 * The time after which a queued or running task becomes `expired`: the upstream's default, and its
 * maximum. Our own deadline ends tasks earlier.
 */
const expiresAfterSeconds = { min: 172_800, max: 259_200 } as const;
/** The upstream's newer documentation says so; its older one says 2^32 - 1, as the contract. */
const seedMax = 2_147_483_647;

/** Sends every field that has a default: model 2.5 would choose its own duration. */
export function createBody(
  request: StartRequest,
  options: { readonly model: string; readonly forwardSeed: boolean },
) {
  const { generation } = request;
  // What is priced as an edit is an edit, also for a client that named `auto`: an upstream that
  // chooses may make a longer video. An invalid edit is refused at once, not minutes later.
  const taskType = generation.duration === editingDuration ? 'edit' : request.taskType;
  const seed = options.forwardSeed ? foldedSeed(generation, seedMax) : undefined;
  return {
    model: options.model,
    content: contentOf(generation),
    resolution: generation.resolution,
    ratio: generation.aspectRatio,
    duration: generation.duration,
    generate_audio: generation.generateAudio,
    watermark: generation.watermark,
    return_last_frame: generation.returnLastFrame,
    execution_expires_after: markOf(request.reference),
    // "A stable identifier of the end user": the upstream blocks users by it.
    safety_identifier: request.endUser,
    ...(seed === undefined ? {} : { seed }),
    ...(generation.webSearch ? { tools: [{ type: 'web_search' }] } : {}),
    ...(taskType === undefined ? {} : { omni_reference_task_type: taskType }),
    // Never the customer's URL: the upstream calls it on every change and does not sign.
    ...(request.providerCallbackUrl === undefined
      ? {}
      : { callback_url: request.providerCallbackUrl }),
  };
}

/** The prompt, then the materials in the customer's order: prompts refer to "Image 1". */
function contentOf(generation: Generation) {
  const text = { type: 'text', text: withoutParameters(generation.prompt) };
  switch (generation.generationType) {
    case 'text-to-video':
      return [text];
    case 'image-to-video': {
      // Frames and references exclude each other, so nothing else may be sent.
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

/**
 * Marks a task by its `execution_expires_after`, the only other value of a request that the list
 * shows. It is never a multiple of ten, so that a rounded or default value is recognized.
 */
export function markOf(reference: string): number {
  const { min, max } = expiresAfterSeconds;
  const digest = createHash('sha256').update(reference).digest();
  const number = digest.readUIntBE(0, 6) % (((max - min) / 10) * 9);
  return min + Math.floor(number / 9) * 10 + (number % 9) + 1;
}

export const isMark = (seconds: number): boolean =>
  seconds > expiresAfterSeconds.min && seconds < expiresAfterSeconds.max && seconds % 10 !== 0;

export type UpstreamTask = NonNullable<ReturnType<typeof readTask>>;

export function readTask(json: unknown) {
  const task = asRecord(json);
  if (!task) return undefined;
  const content = asRecord(task.content);
  const error = asRecord(task.error);
  return {
    id: asOperation(task.id),
    status: asText(task.status),
    /** Unix time. */
    createdSeconds: asNumber(task.created_at),
    safetyIdentifier: asText(task.safety_identifier),
    expiresAfterSeconds: asNumber(task.execution_expires_after),
    error: error && { code: asText(error.code) ?? '', message: asText(error.message) ?? '' },
    videoUrl: asUrl(content?.video_url),
    lastFrameUrl: asUrl(content?.last_frame_url),
    outputSeconds: asNumber(task.duration),
    tokens: asNumber(asRecord(task.usage)?.completion_tokens),
  };
}

export function readPage(json: unknown): { total: number; tasks: UpstreamTask[] } | undefined {
  const page = asRecord(json);
  const total = asNumber(page?.total);
  if (!page || total === undefined || !Array.isArray(page.items)) return undefined;
  const tasks = page.items.map(readTask);
  return tasks.every((task) => task !== undefined) ? { total, tasks } : undefined;
}
