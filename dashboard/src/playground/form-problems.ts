/**
 * Checks the form and returns a message per field. The service checks the request again and knows
 * more; these are the problems that can be shown without a request.
 */
import type { Model } from '@vidgen/contract/models-response.ts';
import { type ApiError, fieldHints } from '../api/api-error.ts';
import {
  fieldsOf,
  type GenerationForm,
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
export type FormField = (typeof formFields)[number];

export type FormProblem = {
  readonly field: FormField;
  readonly message: string;
  /**
   * Input is still missing: the message explains the disabled button but is not shown as an error.
   */
  readonly isMissing: boolean;
};

export const fieldOfList: Readonly<Record<MaterialList, FormField>> = {
  images: 'image_urls',
  videos: 'video_urls',
  audios: 'audio_urls',
};

export function problemsOf(form: GenerationForm, model: Model): FormProblem[] {
  return [
    ...promptProblems(form, model),
    ...missingMaterials(form, model),
    ...materialLists.flatMap((list) => listProblems(form, model, list)),
    ...totalProblems(form, model),
    ...seedProblems(form, model),
    ...callbackProblems(form),
  ];
}

const missing = (field: FormField, message: string): FormProblem[] => [
  { field, message, isMissing: true },
];
const wrong = (field: FormField, message: string): FormProblem[] => [
  { field, message, isMissing: false },
];

/** Counts code points, like the service. */
export const charactersOf = (text: string): number => Array.from(text.trim()).length;

function promptProblems({ prompt }: GenerationForm, model: Model): FormProblem[] {
  const characters = charactersOf(prompt);
  const max = model.prompt_characters_max;
  if (characters === 0) return missing('prompt', 'Describe your video.');
  if (characters <= max) return [];
  const excess = characters - max;
  return wrong(
    'prompt',
    `Prompts are limited to ${formatNumber(max)} characters. Remove ${formatNumber(excess)}.`,
  );
}

function missingMaterials(form: GenerationForm, model: Model): FormProblem[] {
  const { images, videos, audios } = usedMaterials(form);
  if (form.type === 'image-to-video' && images.length < model.image_to_video.images_min) {
    return missing('image_urls', 'Add a first frame.');
  }
  if (form.type === 'video-editing' && videos.length === 0) {
    return missing('video_urls', 'Add the video to edit.');
  }
  if (form.type !== 'reference-to-video' || images.length + videos.length > 0) return [];
  if (audios.length === 0) return missing('image_urls', 'Add at least one reference.');
  if (model.reference_to_video.audio_alone) return [];
  return missing('audio_urls', `${model.id} needs an image or video along with audio.`);
}

const nouns: Readonly<Record<MaterialList, readonly [one: string, many: string]>> = {
  images: ['image', 'images'],
  videos: ['video', 'videos'],
  audios: ['audio file', 'audio files'],
};

const formatCount = (count: number, list: MaterialList): string =>
  `${count} ${nouns[list][count === 1 ? 0 : 1]}`;

function listProblems(form: GenerationForm, model: Model, list: MaterialList): FormProblem[] {
  const urls = usedMaterials(form)[list];
  const max = fieldsOf(model, form).materials[list];
  const field = fieldOfList[list];
  if (urls.length > max) {
    const where = form.type === 'image-to-video' ? 'Image to video' : model.id;
    const excess = urls.length - max;
    return wrong(field, `${where} accepts at most ${formatCount(max, list)}. Remove ${excess}.`);
  }
  const invalidUrl = urls.find((url) => !isWebUrl(url));
  if (invalidUrl === undefined) return [];
  return wrong(
    field,
    `“${truncate(invalidUrl)}” isn’t a valid URL. Start it with https:// or http://.`,
  );
}

function totalProblems(form: GenerationForm, model: Model): FormProblem[] {
  const max = fieldsOf(model, form).materialsMax;
  const used = usedMaterials(form);
  const total = used.images.length + used.videos.length + used.audios.length;
  if (max === null || total <= max) return [];
  return wrong(
    'image_urls',
    `${model.id} accepts at most ${max} files in total. Remove ${total - max}.`,
  );
}

function seedProblems({ seed }: GenerationForm, model: Model): FormProblem[] {
  if (seed === null || model.seed === null) return [];
  const { min, max } = model.seed;
  if (Number.isInteger(seed) && seed >= min && seed <= max) return [];
  return wrong('seed', `Enter a whole number from ${min} to ${formatNumber(max)}.`);
}

function callbackProblems({ callbackUrl }: GenerationForm): FormProblem[] {
  const url = callbackUrl.trim();
  if (url === '' || isWebUrl(url)) return [];
  return wrong('callback_url', 'Enter a valid URL. Start it with https://.');
}

const isWebUrl = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text);

const formatNumber = (count: number): string => new Intl.NumberFormat('en').format(count);

const charactersMax = 40;
const truncate = (text: string): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;

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
  const hints = fieldHints(error, [...items.map(({ path }) => path), ...formFields]);
  const fields: Partial<Record<FormField, string>> = {};
  const add = (field: FormField, text: string) => {
    fields[field] = fields[field] === undefined ? text : `${fields[field]} ${text}`;
  };
  for (const field of formFields) if (hints[field]) add(field, `${hints[field]}.`);
  for (const { path, field, name } of items) {
    if (hints[path]) add(field, `${name} ${lowerCaseFirst(hints[path])}.`);
  }
  return { fields, rest: hints[''] ?? null };
}

const lowerCaseFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
