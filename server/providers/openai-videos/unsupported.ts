/**
 * What a `/v1/videos` server does not support. Such a task is refused when it is created, or left
 * to another provider of the route: nothing a customer pays for is dropped.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import {
  cannotMake,
  cannotMakeLastFrame,
  unsupportedDuration,
} from '../toolkit/generation-input.ts';
import type { Dialect } from './dialect.ts';
import { usesAllReferences } from './openrouter.ts';
import { type ConfiguredSizes, unsupportedSize } from './sizes.ts';

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(
  generation: Generation,
  limits: {
    readonly dialect: Dialect;
    readonly sizes: ConfiguredSizes;
    /** Names of the models at the upstream. */
    readonly models?: Partial<Readonly<Record<ModelName, string>>>;
    /** The only lengths it makes; null for any. */
    readonly seconds: readonly number[] | null;
  },
): string | null {
  const { duration, watermark } = generation;
  const materials = limits.dialect.sendsUrls
    ? unsupportedReferences(generation, limits.models?.[generation.model] ?? '')
    : unsupportedUploads(generation);
  if (materials !== null) return materials;
  if (duration < 0) return cannotMake('duration', duration);
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  return (
    unsupportedDuration(duration, limits.seconds) ??
    (watermark ? cannotMake('watermark', true) : unsupportedSize(generation, limits))
  );
}

function unsupportedUploads({ generationType, imageUrls }: Generation): string | null {
  if (generationType === 'reference-to-video') return cannotMake('generation_type', generationType);
  return generationType === 'image-to-video' && imageUrls.length > 1 ? cannotMakeLastFrame : null;
}

function unsupportedReferences(generation: Generation, model: string): string | null {
  const { generationType, videoUrls, audioUrls } = generation;
  if (generationType !== 'reference-to-video' || usesAllReferences(model)) return null;
  if (videoUrls.length > 0) return 'input.video_urls cannot be used';
  return audioUrls.length > 0 ? 'input.audio_urls cannot be used' : null;
}
