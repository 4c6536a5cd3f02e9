/**
 * What keeps the form from being sent: input that is still missing, and what the service has
 * rejected. The service knows all rules, so only what is missing is told before a request.
 */
import type { Model } from '@vidgen/contract/models-response.ts';
import { type ApiError, fieldHints } from '../api/api-error.ts';
import {
  type GenerationForm,
  isOfOneVideo,
  type MaterialList,
  materialLists,
  usedMaterials,
} from './generation-form.ts';

/**
 * Fields by the last segment of their path in the contract, so that errors of the service match
 * them.
 */
const formFields = [
  'prompt',
  'model',
  'generation_type',
  'image_urls',
  'video_urls',
  'audio_urls',
  'duration',
  'resolution',
  'aspect_ratio',
  'seed',
  'callback_url',
] as const;
export type FormField = (typeof formFields)[number] | `options.${string}`;

export const fieldOfList: Readonly<Record<MaterialList, FormField>> = {
  images: 'image_urls',
  videos: 'video_urls',
  audios: 'audio_urls',
};

type MissingInput = { readonly field: FormField; readonly message: string };

/** Null when the form can be sent. */
export function missingInput(form: GenerationForm, model: Model): MissingInput | null {
  const missing = (field: FormField, message: string) => ({ field, message });
  const { images, videos, audios } = usedMaterials(form);
  if (form.prompt.trim() === '') return missing('prompt', 'Write a prompt.');
  if (form.type === 'image-to-video' && images.length < model.image_to_video.images_min) {
    return missing('image_urls', 'Add a first frame.');
  }
  if (isOfOneVideo(form.type) && videos.length === 0) {
    const verb = form.type === 'video-editing' ? 'edit' : 'extend';
    return missing('video_urls', `Add the video to ${verb}.`);
  }
  if (form.type !== 'reference-to-video' || images.length + videos.length > 0) return null;
  if (audios.length === 0) return missing('image_urls', 'Add at least one reference.');
  if (model.reference_to_video.audio_alone) return null;
  return missing('audio_urls', `${model.id} needs an image or video along with audio.`);
}

type ServerProblems = {
  readonly fields: Readonly<Partial<Record<FormField, string>>>;
  /** The parts that are about no field of the form, or null. */
  readonly rest: string | null;
};

const itemNames = { images: 'Image', videos: 'Video', audios: 'Audio file' } as const;

/** Splits an error of the service into a message per field and the rest. */
export function serverProblems(error: ApiError, form: GenerationForm): ServerProblems {
  if (error.code !== 'invalid_request') return { fields: {}, rest: error.message };
  const used = usedMaterials(form);
  // The service names list items by index: `input.image_urls[1] must be …`.
  const items = materialLists.flatMap((list) =>
    used[list].map((_, index) => ({
      path: `${fieldOfList[list]}[${index}]`,
      field: fieldOfList[list],
      name: `${itemNames[list]} ${index + 1}`,
    })),
  );
  const options = Object.keys(form.options).map((name) => `options.${name}` as const);
  const paths = [...items.map(({ path }) => path), ...options, ...formFields];
  const hints = fieldHints(error, paths);
  const fields: Partial<Record<FormField, string>> = {};
  const add = (field: FormField, text: string) => {
    fields[field] = fields[field] === undefined ? text : `${fields[field]} ${text}`;
  };
  for (const field of [...options, ...formFields]) if (hints[field]) add(field, `${hints[field]}.`);
  for (const { path, field, name } of items) {
    if (hints[path]) add(field, `${name} ${lowerCaseFirst(hints[path])}.`);
  }
  return { fields, rest: hints[''] ?? null };
}

const lowerCaseFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
