/**
 * The values of a task for the template of a declared provider. The template defines what the
 * upstream supports: a task that needs another value is refused.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sizeOf } from '@vidgen/renderer/size.ts';
import type { StartRequest } from '../provider.ts';
import {
  cannotMake,
  cannotMakeLastFrame,
  cannotMakeRatio,
  foldedSeed,
  unsupportedDuration,
  withoutParameters,
} from '../toolkit/generation-input.ts';
import { optionValues } from '../toolkit/options.ts';
import { type PlaceholderValues, placeholdersIn } from '../toolkit/placeholders.ts';
import { type DeclaredSettings, typesOf } from './settings.ts';

type Rules = Pick<
  DeclaredSettings,
  | ('models' | 'start' | 'resolutions' | 'ratios' | 'sizes' | 'seconds' | 'takesSourceLength')
  | ('sound' | 'types' | 'followsFirstFrame' | 'callbacks' | 'seedMax')
>;

/**
 * A template may omit `seed`, `sound`, `web_search` and `return_last_frame` (docs/spec.md 2.2).
 * Parameters are removed from the prompt, because the model behind the upstream is not known.
 */
export function valuesFor(request: StartRequest, rules: Rules): PlaceholderValues {
  const { generation, reference, providerCallbackUrl, secondsLeft } = request;
  const { generationType, imageUrls, videoUrls, audioUrls, resolution } = generation;
  const usesReferences = generationType === 'reference-to-video';
  const [first, last] = generationType === 'image-to-video' ? imageUrls : [];
  const [width, height] = pixelsFor(generation, rules) ?? [];
  return {
    ...optionValues(generation),
    model: rules.models[generation.model],
    prompt: withoutParameters(generation.prompt),
    seed: foldedSeed(generation, rules.seedMax),
    seconds: generation.duration,
    resolution: rules.resolutions ? rules.resolutions[resolution] : resolution,
    aspect_ratio: ratioFor(generation, rules) ?? undefined,
    ...(width && height ? { width, height, size: `${width}x${height}` } : {}),
    sound: soundFor(generation, rules),
    watermark: generation.watermark,
    web_search: generation.webSearch,
    return_last_frame: generation.returnLastFrame,
    generation_type: rules.types?.[generationType] ?? generationType,
    first_frame: first,
    last_frame: last,
    ...(usesReferences
      ? {
          ...references('image', imageUrls),
          ...references('video', videoUrls),
          ...references('audio', audioUrls),
        }
      : {}),
    reference,
    callback_url: callbackUrlFor(providerCallbackUrl, rules),
    seconds_left: Math.ceil(secondsLeft),
  };
}

/** The whole list, and each file by its number. */
function references(kind: string, urls: readonly string[]): PlaceholderValues {
  const each = urls.map((url, index) => [`${kind}_${index + 1}`, url] as const);
  return { ...Object.fromEntries(each), [`${kind}_urls`]: urls.length > 0 ? urls : undefined };
}

/** Null: supported, and no ratio is sent. Undefined: not supported. */
function ratioFor(
  { aspectRatio, generationType }: Generation,
  { ratios, followsFirstFrame }: Rules,
): string | null | undefined {
  if (followsFirstFrame && generationType === 'image-to-video') {
    return aspectRatio === 'adaptive' ? null : undefined;
  }
  return ratios ? ratios[aspectRatio] : aspectRatio;
}

const soundFor = ({ generateAudio }: Generation, { sound }: Rules) =>
  sound ? sound[generateAudio ? 'on' : 'off'] : generateAudio;

const callbackUrlFor = (url: string | undefined, { callbacks }: Rules): string | undefined =>
  callbacks?.httpsOnly && !url?.startsWith('https:') ? undefined : url;

/** Returns null when there is no such size; `adaptive` has none unless it is configured. */
function pixelsFor(generation: Generation, { sizes }: Rules): readonly number[] | null {
  const { resolution, aspectRatio } = generation;
  if (sizes) return sizes[resolution]?.[aspectRatio]?.split('x').map(Number) ?? null;
  if (aspectRatio === 'adaptive') return null;
  const { width, height } = sizeOf(generation, null);
  return [width, height];
}

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(generation: Generation, rules: Rules): string | null {
  const names = placeholdersIn(rules.start.body);
  const { duration, resolution, watermark, generationType } = generation;
  if (!typesOf(rules.start.path).includes(generationType)) {
    return cannotMake('generation_type', generationType);
  }
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  if (watermark && !names.has('watermark')) return cannotMake('watermark', true);
  if (duration < 0 && !rules.takesSourceLength) return cannotMake('duration', duration);
  const durationReason = duration > 0 ? unsupportedDuration(duration, rules.seconds) : null;
  if (durationReason !== null) return durationReason;
  if (rules.resolutions && !rules.resolutions[resolution]) {
    return cannotMake('resolution', resolution);
  }
  const needsPixels = ['size', 'width'].some((name) => names.has(name));
  const lacksShape = needsPixels
    ? pixelsFor(generation, rules) === null
    : ratioFor(generation, rules) === undefined;
  return lacksShape ? cannotMakeRatio(generation) : unsupportedMaterials(generation, names);
}

function unsupportedMaterials(generation: Generation, names: ReadonlySet<string>): string | null {
  const { generationType, imageUrls, videoUrls, audioUrls } = generation;
  switch (generationType) {
    case 'text-to-video':
      return null;
    case 'image-to-video':
      if (!names.has('first_frame')) return cannotMake('generation_type', generationType);
      return imageUrls.length > 1 && !names.has('last_frame') ? cannotMakeLastFrame : null;
    case 'reference-to-video': {
      const lists = [
        ['image', imageUrls],
        ['video', videoUrls],
        ['audio', audioUrls],
      ] as const;
      const missing = lists.find(
        ([kind, urls]) => urls.length > 0 && !takesAll(names, kind, urls.length),
      );
      if (!missing) return null;
      const [kind, urls] = missing;
      return `input.${kind}_urls with ${urls.length} items is not supported`;
    }
  }
}

/** By a placeholder for the list, or one for each file. */
const takesAll = (names: ReadonlySet<string>, kind: string, count: number): boolean =>
  names.has(`${kind}_urls`) ||
  Array.from({ length: count }, (_, index) => `${kind}_${index + 1}`).every((name) =>
    names.has(name),
  );
