/**
 * Converts the form to a request and back. The same request is sent and shown in snippets, and the
 * request of a task fills the form again.
 */
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { continuesKey, continuesOf, shotsBefore } from '@vidgen/contract/story.ts';
import {
  type FormType,
  formDefaults,
  type GenerationForm,
  isOfOneVideo,
  usedMaterials,
} from './generation-form.ts';

const editingDuration = -1;

/** Leaves out options with default values, to keep snippets short. */
export function requestOf(form: GenerationForm, model: Model): CreateGenerationRequest {
  const { images, videos, audios } = usedMaterials(form);
  const callbackUrl = form.callbackUrl.trim();
  const options = Object.entries(form.options).filter(([name]) =>
    Object.hasOwn(model.options, name),
  );
  return {
    model: form.model,
    input: {
      prompt: form.prompt,
      generation_type: typeOf(form.type),
      ...(images.length > 0 ? { image_urls: [...images] } : {}),
      ...(videos.length > 0 ? { video_urls: [...videos] } : {}),
      ...(audios.length > 0 ? { audio_urls: [...audios] } : {}),
      duration: form.type === 'video-editing' ? editingDuration : form.duration,
      resolution: form.resolution,
      aspect_ratio: form.aspectRatio,
      ...(form.generateAudio || model.sound !== 'optional' ? {} : { generate_audio: false }),
      ...(form.watermark ? { watermark: true } : {}),
      ...(form.webSearch ? { web_search: true } : {}),
      ...(form.returnLastFrame ? { return_last_frame: true } : {}),
      ...(form.seed !== null && model.seed !== null ? { seed: form.seed } : {}),
      ...(options.length > 0 ? { options: Object.fromEntries(options) } : {}),
    },
    ...(callbackUrl === '' ? {} : { callback_url: callbackUrl }),
    ...(isContinuation(form) ? { metadata: { [continuesKey]: form.continues } } : {}),
  };
}

const typeOf = (type: FormType) => (isOfOneVideo(type) ? 'reference-to-video' : type);

/** Only a shot that begins on an image can continue another one. */
export const isContinuation = (form: GenerationForm): boolean =>
  form.continues !== '' && form.type === 'image-to-video' && usedMaterials(form).images.length > 0;

/** Returns the form that sends the same request, without metadata of the customer's own. */
export function formOfRequest({
  model,
  input,
  callback_url,
  metadata,
}: CreateGenerationRequest): GenerationForm {
  const duration = input.duration ?? formDefaults.duration;
  const isEditing = duration === editingDuration;
  const type = input.generation_type ?? formDefaults.type;
  const seed = input.seed ?? -1;
  return {
    model,
    type: isEditing ? 'video-editing' : isExtension(input) ? 'video-extension' : type,
    prompt: input.prompt,
    images: input.image_urls ?? [],
    videos: input.video_urls ?? [],
    audios: input.audio_urls ?? [],
    duration: isEditing ? formDefaults.duration : duration,
    resolution: input.resolution ?? formDefaults.resolution,
    aspectRatio: input.aspect_ratio ?? formDefaults.aspectRatio,
    generateAudio: input.generate_audio ?? formDefaults.generateAudio,
    watermark: input.watermark ?? formDefaults.watermark,
    webSearch: input.web_search ?? formDefaults.webSearch,
    returnLastFrame: input.return_last_frame ?? formDefaults.returnLastFrame,
    seed: seed < 0 ? null : seed,
    options: input.options ?? formDefaults.options,
    callbackUrl: callback_url ?? '',
    continues: continuesOf(shotsBefore(metadata)),
  };
}

/** A model that cannot extend videos takes the same request as a reference: `adaptForm` does. */
const isExtension = (input: CreateGenerationRequest['input']): boolean =>
  input.generation_type === 'reference-to-video' &&
  (input.aspect_ratio ?? 'adaptive') === 'adaptive' &&
  input.video_urls?.length === 1 &&
  !input.image_urls?.length &&
  !input.audio_urls?.length;

const sampleImageUrl = 'https://example.com/image.png';
const sampleVideoUrl = 'https://example.com/video.mp4';

/**
 * Returns a request with only the fields that price and typical time depend on. It stays the same
 * while the prompt is edited and is valid before materials are added. The sample URLs are not
 * fetched.
 */
export function estimateRequestOf(form: GenerationForm): CreateGenerationRequest {
  const isEditing = form.type === 'video-editing';
  const withVideo = isOfOneVideo(form.type) || usedMaterials(form).videos.length > 0;
  return {
    model: form.model,
    input: {
      prompt: 'What does it cost',
      generation_type: typeOf(form.type),
      ...(form.type === 'text-to-video'
        ? {}
        : withVideo
          ? { video_urls: [sampleVideoUrl] }
          : { image_urls: [sampleImageUrl] }),
      duration: isEditing ? editingDuration : form.duration,
      resolution: form.resolution,
      ...(form.generateAudio ? {} : { generate_audio: false }),
    },
  };
}
