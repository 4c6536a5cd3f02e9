/**
 * The form as words of an address and back, without loss: whoever opens the link sees the same,
 * and with `task` the same video. What stands at its default is left out.
 */
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-answer.ts';
import {
  emptyForm,
  type FormMode,
  fitForm,
  formDefaults,
  formModes,
  type GenerationForm,
} from './generation-form.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';

/** Short words for people who read addresses. */
const typeWords: Readonly<Record<FormMode, string>> = {
  'text-to-video': 'text',
  'image-to-video': 'image',
  'reference-to-video': 'reference',
  'video-editing': 'edit',
};

export function searchOf(form: GenerationForm): PlaygroundSearch {
  const said = <Value>(value: Value, omitted: Value): Value | undefined =>
    value === omitted ? undefined : value;
  const listed = (urls: readonly string[]) => (urls.length > 0 ? urls : undefined);
  const words = {
    model: form.model,
    type: form.mode === formDefaults.mode ? undefined : typeWords[form.mode],
    prompt: said(form.prompt, ''),
    images: listed(form.images),
    videos: listed(form.videos),
    audios: listed(form.audios),
    duration: form.duration,
    resolution: said(form.resolution, formDefaults.resolution),
    ratio: said(form.aspectRatio, formDefaults.aspectRatio),
    sound: said<boolean>(form.generateAudio, formDefaults.generateAudio),
    watermark: said<boolean>(form.watermark, formDefaults.watermark),
    web: said<boolean>(form.webSearch, formDefaults.webSearch),
    frame: said<boolean>(form.returnLastFrame, formDefaults.returnLastFrame),
    seed: form.seed ?? undefined,
    callback: said(form.callbackUrl, ''),
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

/** The form an address tells of, within what the catalogue allows; null when it tells of none. */
export function formOfSearch(
  search: PlaygroundSearch,
  models: readonly Model[],
): GenerationForm | null {
  const { task: _, ...told } = search;
  const model = models.find(({ id }) => id === told.model) ?? models[0];
  if (model === undefined || Object.keys(told).length === 0) return null;
  const empty = emptyForm(model);
  const form: GenerationForm = {
    model: model.id,
    mode: formModes.find((mode) => typeWords[mode] === told.type) ?? empty.mode,
    prompt: told.prompt ?? empty.prompt,
    images: told.images ?? empty.images,
    videos: told.videos ?? empty.videos,
    audios: told.audios ?? empty.audios,
    duration: told.duration ?? empty.duration,
    resolution: resolutions.find((one) => one === told.resolution) ?? empty.resolution,
    aspectRatio: aspectRatios.find((one) => one === told.ratio) ?? empty.aspectRatio,
    generateAudio: told.sound ?? empty.generateAudio,
    watermark: told.watermark ?? empty.watermark,
    webSearch: told.web ?? empty.webSearch,
    returnLastFrame: told.frame ?? empty.returnLastFrame,
    seed: told.seed ?? empty.seed,
    callbackUrl: told.callback ?? empty.callbackUrl,
  };
  return fitForm(form, model).form;
}

/** Servers refuse a request line much longer than this; what follows a # never gets there. */
const searchCharactersMax = 5000;
const bulky = ['prompt', 'images', 'videos', 'audios'] as const;

export type PlaygroundAddress = { readonly search: PlaygroundSearch; readonly hash: string };

/** Long prompts and lists go behind the #, so that a page with them can be loaded again. */
export function addressOf(search: PlaygroundSearch): PlaygroundAddress {
  if (encodeURIComponent(JSON.stringify(search)).length <= searchCharactersMax) {
    return { search, hash: '' };
  }
  const isBulky = ([name]: readonly [string, unknown]) => bulky.some((one) => one === name);
  const entries = Object.entries(search);
  const bulk = Object.fromEntries(entries.filter(isBulky));
  return {
    search: Object.fromEntries(entries.filter((entry) => !isBulky(entry))),
    hash: encodeURIComponent(JSON.stringify(bulk)),
  };
}

export function searchOfAddress({ search, hash }: PlaygroundAddress): PlaygroundSearch {
  if (hash === '') return search;
  try {
    const bulk: unknown = JSON.parse(decodeURIComponent(hash));
    return typeof bulk === 'object' ? readSearch({ ...search, ...bulk }) : search;
  } catch {
    return search; // Somebody else's hash.
  }
}
