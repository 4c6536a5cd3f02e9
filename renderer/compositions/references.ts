/**
 * Reference to video: every reference is shown in the prompt's scene. One or two photos become a
 * sequence, a single cutout stands in the scene, and anything else is shown on cards.
 */
import type { Image } from '@napi-rs/canvas';
import { openImage } from '../card.ts';
import { backdropFor, reduced } from '../image.ts';
import { isFlatImage } from '../still/depth.ts';
import { createCardGrid } from './card-grid.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createCutout } from './cutout.ts';
import { createPhotoSequence } from './photo-sequence.ts';

const sequenceMax = 2;

export async function createReferences(clip: CompositionContext): Promise<Composition> {
  const visible = clip.job.materials.filter(({ kind }) => kind !== 'audio');
  if (visible.length === 0 || visible.length > sequenceMax) return await createCardGrid(clip);
  const images: Image[] = [];
  for (const material of visible) {
    const image = material.kind === 'image' ? await openImage(material) : null;
    if (!image) return await createCardGrid(clip);
    images.push(image);
  }
  const backdrops = images.map((image) => backdropFor(image, clip.setting.palette));
  const [first] = images;
  if (first && images.length === 1 && backdrops[0]) return createCutout(clip, first, backdrops[0]);
  const isPhoto = (image: Image, at: number): boolean =>
    !backdrops[at] && !isFlatImage(reduced(image, 320));
  return images.every(isPhoto) ? createPhotoSequence(clip, images) : await createCardGrid(clip);
}
