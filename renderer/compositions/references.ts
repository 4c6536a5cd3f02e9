/**
 * Reference to video: every reference is shown in the prompt's scene. A single cutout stands in the
 * scene, and anything else is shown on cards.
 */
import { openImage } from '../card.ts';
import { backdropFor } from '../image.ts';
import { createCardGrid } from './card-grid.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createCutout } from './cutout.ts';

export async function createReferences(clip: CompositionContext): Promise<Composition> {
  const [first, ...others] = clip.job.materials.filter(({ kind }) => kind !== 'audio');
  const isImage = first?.kind === 'image' && others.length === 0;
  const image = isImage ? await openImage(first) : null;
  const backdrop = image && backdropFor(image, clip.setting.palette);
  return backdrop ? createCutout(clip, image, backdrop) : await createCardGrid(clip);
}
