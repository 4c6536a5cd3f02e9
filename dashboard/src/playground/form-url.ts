/**
 * Converts the form to search parameters and back without loss, so that a link shows the same form
 * and, with `task`, the same video. Default values are left out.
 */
import { aspectRatios } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { continuesOf, shotsBefore } from '@vidgen/contract/story.ts';
import {
  adaptForm,
  emptyForm,
  formDefaults,
  formTypes,
  type GenerationForm,
} from './generation-form.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';

/** Always with what has another default for another model. */
export function searchOf(whole: GenerationForm): PlaygroundSearch {
  const { model, duration, resolution, aspectRatio, ...form } = whole;
  const changed = Object.entries(form).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(formDefaults[name as keyof typeof form]),
  );
  const always = { model, duration, resolution, aspectRatio };
  return readSearch({ ...always, ...Object.fromEntries(changed) });
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
    ...empty,
    ...params,
    model: model.id,
    type: formTypes.find((one) => one === params.type) ?? empty.type,
    aspectRatio: aspectRatios.find((one) => one === params.aspectRatio) ?? empty.aspectRatio,
    continues: continuesOf(shotsBefore({ continues: params.continues ?? '' })),
  };
  return adaptForm(form, model);
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
