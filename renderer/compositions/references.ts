/**
 * Reference to video: everything given is seen in the prompt's scene. One or two photographs are
 * its film, something cut out stands in it, and all else hangs before it as cards.
 */
import type { Image } from '@napi-rs/canvas';
import { openImage } from '../card.ts';
import { backdropFor, reduced } from '../image.ts';
import { isPlain } from '../still/depth.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createCutOut } from './cutout.ts';
import { createFilm } from './film.ts';
import { createWall } from './wall.ts';

/** So few images make a film of their own, one after the other. */
const filmMax = 2;

export async function createReferences(stage: CompositionContext): Promise<Composition> {
  const seen = stage.job.materials.filter(({ kind }) => kind !== 'audio');
  if (seen.length === 0 || seen.length > filmMax) return await createWall(stage);
  const images: Image[] = [];
  for (const material of seen) {
    const image = material.kind === 'image' ? await openImage(material) : null;
    if (!image) return await createWall(stage);
    images.push(image);
  }
  const [first] = images;
  const backdrops = images.map((image) => backdropFor(image, stage.setting.palette));
  if (first && images.length === 1 && backdrops[0]) return createCutOut(stage, first, backdrops[0]);
  const isPhoto = (image: Image, at: number): boolean =>
    !backdrops[at] && !isPlain(reduced(image, 320));
  return images.every(isPhoto) ? createFilm(stage, images) : await createWall(stage);
}
