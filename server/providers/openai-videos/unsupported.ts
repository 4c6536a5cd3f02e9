/**
 * What a `/v1/videos` server does not support. Such a task is refused when it is created, or left
 * to another provider of the route: nothing a customer pays for is dropped.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  cannotMake,
  cannotMakeLastFrame,
  unsupportedDuration,
} from '../toolkit/generation-input.ts';
import type { Dialect } from './dialect.ts';
import { type ConfiguredSizes, unsupportedSize } from './sizes.ts';

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(
  generation: Generation,
  limits: {
    readonly dialect: Dialect;
    readonly sizes: ConfiguredSizes;
    /** The only lengths it makes; null for any. */
    readonly seconds: readonly number[] | null;
  },
): string | null {
  const { generationType, imageUrls, duration, watermark } = generation;
  if (generationType === 'reference-to-video') return cannotMake('generation_type', generationType);
  if (generationType === 'image-to-video' && imageUrls.length > 1) return cannotMakeLastFrame;
  if (duration < 0) return cannotMake('duration', duration);
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  return (
    unsupportedDuration(duration, limits.seconds) ??
    (watermark ? cannotMake('watermark', true) : unsupportedSize(generation, limits))
  );
}
