/**
 * Converts the form to search parameters and back without loss, so that a link shows the same form
 * and, with `task`, the same video. Default values are left out.
 */
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { continuesOf, shotsBefore } from '@vidgen/contract/story.ts';
import {
  adaptForm,
  emptyForm,
  type FormType,
  formDefaults,
  formTypes,
  type GenerationForm,
} from './generation-form.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';

const typeParams: Readonly<Record<FormType, string>> = {
  'text-to-video': 'text',
  'image-to-video': 'image',
  'reference-to-video': 'reference',
  'video-editing': 'edit',
};

export function searchOf(form: GenerationForm): PlaygroundSearch {
  const unlessDefault = <Value>(value: Value, defaultValue: Value): Value | undefined =>
    value === defaultValue ? undefined : value;
  const nonEmpty = (urls: readonly string[]) => (urls.length > 0 ? urls : undefined);
  const params = {
    model: form.model,
    type: form.type === formDefaults.type ? undefined : typeParams[form.type],
    prompt: unlessDefault(form.prompt, ''),
    images: nonEmpty(form.images),
    videos: nonEmpty(form.videos),
    audios: nonEmpty(form.audios),
    duration: form.duration,
    resolution: unlessDefault(form.resolution, formDefaults.resolution),
    ratio: unlessDefault(form.aspectRatio, formDefaults.aspectRatio),
    sound: unlessDefault<boolean>(form.generateAudio, formDefaults.generateAudio),
    watermark: unlessDefault<boolean>(form.watermark, formDefaults.watermark),
    web: unlessDefault<boolean>(form.webSearch, formDefaults.webSearch),
    frame: unlessDefault<boolean>(form.returnLastFrame, formDefaults.returnLastFrame),
    seed: form.seed ?? undefined,
    callback: unlessDefault(form.callbackUrl, ''),
    continues: unlessDefault(form.continues, ''),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** Returns the form in the URL, limited to what the catalog allows, or null if there is none. */
export function formOfSearch(
  search: PlaygroundSearch,
  models: readonly Model[],
): GenerationForm | null {
  const { task: _, ...params } = search;
  const model = models.find(({ id }) => id === params.model) ?? models[0];
  if (model === undefined || Object.keys(params).length === 0) return null;
  const empty = emptyForm(model);
  const form: GenerationForm = {
    model: model.id,
    type: formTypes.find((type) => typeParams[type] === params.type) ?? empty.type,
    prompt: params.prompt ?? empty.prompt,
    images: params.images ?? empty.images,
    videos: params.videos ?? empty.videos,
    audios: params.audios ?? empty.audios,
    duration: params.duration ?? empty.duration,
    resolution: resolutions.find((one) => one === params.resolution) ?? empty.resolution,
    aspectRatio: aspectRatios.find((one) => one === params.ratio) ?? empty.aspectRatio,
    generateAudio: params.sound ?? empty.generateAudio,
    watermark: params.watermark ?? empty.watermark,
    webSearch: params.web ?? empty.webSearch,
    returnLastFrame: params.frame ?? empty.returnLastFrame,
    seed: params.seed ?? empty.seed,
    callbackUrl: params.callback ?? empty.callbackUrl,
    continues: continuesOf(shotsBefore({ continues: params.continues ?? '' })),
  };
  return adaptForm(form, model).form;
}

/** Servers reject a much longer request line. The fragment is not part of it. */
const searchCharactersMax = 5000;
const bulkyParams = ['prompt', 'images', 'videos', 'audios'] as const;

type PlaygroundUrl = { readonly search: PlaygroundSearch; readonly hash: string };

/** Moves long prompts and lists into the fragment, so that the page can be reloaded. */
export function playgroundUrlOf(search: PlaygroundSearch): PlaygroundUrl {
  if (encodeURIComponent(JSON.stringify(search)).length <= searchCharactersMax) {
    return { search, hash: '' };
  }
  const isBulky = ([name]: readonly [string, unknown]) => bulkyParams.some((one) => one === name);
  const entries = Object.entries(search);
  const bulk = Object.fromEntries(entries.filter(isBulky));
  return {
    search: Object.fromEntries(entries.filter((entry) => !isBulky(entry))),
    hash: encodeURIComponent(JSON.stringify(bulk)),
  };
}

export function searchOfUrl({ search, hash }: PlaygroundUrl): PlaygroundSearch {
  if (hash === '') return search;
  try {
    const bulk: unknown = JSON.parse(decodeURIComponent(hash));
    return typeof bulk === 'object' ? readSearch({ ...search, ...bulk }) : search;
  } catch {
    return search; // The fragment is not ours.
  }
}
