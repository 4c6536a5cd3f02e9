/**
 * What a `/v1/videos` server has no words for. It is refused when the task is created, or left to
 * another provider of the route: nothing that a customer asks and pays for is dropped in silence.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Dialect } from './dialect.ts';
import { type ConfiguredSizes, unsupportedSize } from './sizes.ts';

export type AdapterLimits = {
  readonly dialect: Dialect;
  readonly sizes: ConfiguredSizes;
  /** The only lengths it makes; null for any. */
  readonly seconds: readonly number[] | null;
};

const choices = new Intl.ListFormat('en', { type: 'disjunction' });

/** Why not, in words for the customer that begin with the field; null when it can. */
export function unsupportedReason(generation: Generation, limits: AdapterLimits): string | null {
  const { generationType, imageUrls, duration, watermark } = generation;
  if (generationType === 'reference-to-video') {
    return `input.generation_type ${generationType} cannot be made`;
  }
  if (generationType === 'image-to-video' && imageUrls.length > 1) {
    return 'input.image_urls with a last frame cannot be made, only with a first';
  }
  if (duration < 0) return `input.duration ${duration} cannot be made`;
  if (limits.seconds && !limits.seconds.includes(duration)) {
    const only = choices.format(limits.seconds.map(String));
    return `input.duration ${duration} cannot be made, only ${only}`;
  }
  // Whoever asks for a mark may have to show one: a video without it is not what was ordered.
  if (watermark) return 'input.watermark true cannot be made';
  return unsupportedSize(generation, limits);
}
