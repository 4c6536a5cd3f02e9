/**
 * A task's values for the template of a declared upstream. What the template names is what the
 * upstream can be asked for: a task that needs another value is refused beforehand.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sizeOf } from '@vidgen/renderer/size.ts';
import type { StartRequest } from '../provider.ts';
import { type PlaceholderValues, placeholdersIn } from '../toolkit/placeholders.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';
import type { DeclaredSettings } from './settings.ts';

type Rules = Pick<
  DeclaredSettings,
  'models' | 'start' | 'resolutions' | 'ratios' | 'sizes' | 'seconds' | 'takesSourceLength'
>;

/**
 * Left out where the template does not name them: `seed`, `sound`, `web_search` and
 * `return_last_frame` promise nothing that is not available (Spec 2.2). No prompt may choose what
 * was priced: who knows which model stands behind the upstream.
 */
export function valuesFor(request: StartRequest, rules: Rules): PlaceholderValues {
  const { generation, reference, providerCallbackUrl, secondsLeft } = request;
  const { generationType, imageUrls, videoUrls, audioUrls, seed, resolution } = generation;
  const usesReferences = generationType === 'reference-to-video';
  const [first, last] = generationType === 'image-to-video' ? imageUrls : [];
  const [width, height] = pixelsFor(generation, rules) ?? [];
  return {
    model: rules.models[generation.model],
    prompt: withoutParameters(generation.prompt),
    // -1 and none both mean "any seed"; 0 is a seed.
    seed: (seed ?? -1) < 0 ? undefined : seed!,
    seconds: generation.duration,
    resolution: rules.resolutions ? rules.resolutions[resolution] : resolution,
    aspect_ratio: ratioFor(generation, rules),
    ...(width && height ? { width, height, size: `${width}x${height}` } : {}),
    sound: generation.generateAudio,
    watermark: generation.watermark,
    web_search: generation.webSearch,
    return_last_frame: generation.returnLastFrame,
    generation_type: generationType,
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
    callback_url: providerCallbackUrl,
    seconds_left: Math.ceil(secondsLeft),
  };
}

/** As a whole list, and each by its number. */
function references(kind: string, urls: readonly string[]): PlaceholderValues {
  const each = urls.map((url, index) => [`${kind}_${index + 1}`, url] as const);
  return { ...Object.fromEntries(each), [`${kind}_urls`]: urls.length > 0 ? urls : undefined };
}

const ratioFor = ({ aspectRatio }: Generation, { ratios }: Rules): string | undefined =>
  ratios ? ratios[aspectRatio] : aspectRatio;

/** Null where there is no such size; `adaptive` is none that could be told in pixels. */
function pixelsFor(generation: Generation, { sizes }: Rules): readonly number[] | null {
  const { resolution, aspectRatio } = generation;
  if (sizes) return sizes[resolution]?.[aspectRatio]?.split('x').map(Number) ?? null;
  if (aspectRatio === 'adaptive') return null;
  const { width, height } = sizeOf(generation, null);
  return [width, height];
}

const choices = new Intl.ListFormat('en', { type: 'disjunction' });

/** Why not, in words for the customer that begin with the field; null when it can be asked for. */
export function unsupportedReason(generation: Generation, rules: Rules): string | null {
  const names = placeholdersIn(rules.start.body);
  const { duration, resolution, aspectRatio, watermark } = generation;
  // Whoever asks for a mark may have to show one: a video without it is not what was ordered.
  if (watermark && !names.has('watermark')) return 'input.watermark true cannot be made';
  if (duration < 0 && !rules.takesSourceLength) return `input.duration ${duration} cannot be made`;
  if (duration > 0 && rules.seconds && !rules.seconds.includes(duration)) {
    const only = choices.format(rules.seconds.map(String));
    return `input.duration ${duration} cannot be made, only ${only}`;
  }
  if (rules.resolutions && !rules.resolutions[resolution]) {
    return `input.resolution ${resolution} cannot be made`;
  }
  const needsPixels = ['size', 'width'].some((name) => names.has(name));
  const lacksShape = needsPixels
    ? pixelsFor(generation, rules) === null
    : ratioFor(generation, rules) === undefined;
  if (lacksShape) return `input.aspect_ratio ${aspectRatio} cannot be made at ${resolution}`;
  return unsupportedMaterials(generation, names);
}

function unsupportedMaterials(generation: Generation, names: ReadonlySet<string>): string | null {
  const { generationType, imageUrls, videoUrls, audioUrls } = generation;
  switch (generationType) {
    case 'text-to-video':
      return null;
    case 'image-to-video':
      if (!names.has('first_frame'))
        return `input.generation_type ${generationType} cannot be made`;
      return imageUrls.length > 1 && !names.has('last_frame')
        ? 'input.image_urls with a last frame cannot be made, only with a first'
        : null;
    case 'reference-to-video': {
      const lists = [
        ['image', imageUrls],
        ['video', videoUrls],
        ['audio', audioUrls],
      ] as const;
      const missing = lists.find(
        ([kind, urls]) => urls.length > 0 && !takesAll(names, kind, urls.length),
      );
      return missing ? `input.${missing[0]}_urls with ${missing[1].length} cannot be used` : null;
    }
  }
}

/** As a list, or by a placeholder for each. */
const takesAll = (names: ReadonlySet<string>, kind: string, count: number): boolean =>
  names.has(`${kind}_urls`) ||
  Array.from({ length: count }, (_, index) => `${kind}_${index + 1}`).every((name) =>
    names.has(name),
  );
