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
  unsupportedReferences,
} from '../toolkit/generation-input.ts';
import type { Dialect } from './dialect.ts';
import { usesAllReferences } from './openrouter.ts';
import type { References } from './references.ts';
import { type ConfiguredSizes, unsupportedSize } from './sizes.ts';

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(
  generation: Generation,
  limits: {
    readonly dialect: Dialect;
    readonly sizes: ConfiguredSizes;
    readonly models?: Partial<Readonly<Record<ModelName, string>>>;
    /** What it takes as uploads, where the configuration limits it. */
    readonly references?: References | null;
    /** The only lengths it makes; null for any. */
    readonly seconds: readonly number[] | null;
  },
): string | null {
  const { duration, watermark } = generation;
  const { references = limits.dialect.references } = limits;
  const materials = limits.dialect.sendsUrls
    ? unsupportedUrls(generation, limits.models?.[generation.model] ?? '')
    : unsupportedUploads(generation, references);
  if (materials !== null) return materials;
  const isEdit = duration < 0;
  const edits = references !== null && generation.videoUrls.length > 0 && limits.seconds === null;
  if (isEdit && !edits) return cannotMake('duration', duration);
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  return (
    unsupportedDuration(duration, limits.seconds) ??
    (watermark ? cannotMake('watermark', true) : unsupportedSize(generation, limits))
  );
}

function unsupportedUploads(generation: Generation, references: References | null): string | null {
  const { generationType, imageUrls } = generation;
  switch (generationType) {
    case 'text-to-video':
      return null;
    case 'image-to-video':
      return imageUrls.length > 1 ? cannotMakeLastFrame : null;
    case 'reference-to-video':
      return references
        ? unsupportedReferences(generation, references)
        : cannotMake('generation_type', generationType);
  }
}

function unsupportedUrls(generation: Generation, model: string): string | null {
  const { generationType, videoUrls, audioUrls } = generation;
  if (generationType !== 'reference-to-video' || usesAllReferences(model)) return null;
  if (videoUrls.length > 0) return 'input.video_urls is not supported';
  return audioUrls.length > 0 ? 'input.audio_urls is not supported' : null;
}
