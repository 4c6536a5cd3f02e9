/** The other materials of an edit: small cards in the upper right corner. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { openMaterialCard } from '../card.ts';
import { type CardContent, mountCard } from '../card-mount.ts';
import { clamp, settle } from '../motion.ts';
import type { JobMaterial } from '../render-job.ts';
import type { CompositionContext } from './composition.ts';

type InsetCards = {
  draw(context: SKRSContext2D, second: number): Promise<void>;
  close(): Promise<void>;
};

/** More would be too small to recognize. */
const cardsMax = 8;

export async function createInsetCards(
  { job, setting, plan }: CompositionContext,
  edited: JobMaterial,
): Promise<InsetCards> {
  const { size, palette, unit } = setting;
  const others = job.materials
    .filter(({ kind, index }) => kind !== 'audio' && !(kind === 'video' && index === edited.index))
    .slice(0, cardsMax);
  const isTall = size.height > size.width;
  const height = (isTall ? 0.075 : 0.15) * size.height * (others.length > 4 ? 0.75 : 1);
  const contents: CardContent[] = [];
  for (const material of others) {
    contents.push(
      await openMaterialCard(material, { palette, longestSide: height * 2, videos: plan.videos }),
    );
  }
  const margin = Math.round(size.width * (isTall ? 0.07 : 0.05));
  // Below the watermark, which is in the same corner.
  const y = margin * (job.generation.watermark ? 1.75 : 0.75);
  let right = size.width - margin;
  const cards = contents.toReversed().map((content) => {
    const width = height * clamp(content.aspect, 0.6, 1.8);
    const box = { x: right - width, y, width, height };
    right -= width + 10 * unit;
    return { box, mounted: mountCard(content, unit * 0.6) };
  });
  return {
    async draw(context, second) {
      for (const [index, { box, mounted }] of cards.entries()) {
        const arrived = settle((second - 0.3 - (cards.length - index) * 0.12) / 0.8);
        if (arrived <= 0) continue;
        const raised = box.y - (1 - arrived) * 14 * unit;
        await mounted.draw(context, { ...box, y: raised }, second, arrived);
      }
    },
    async close() {
      for (const content of contents) await content.close?.();
    },
  };
}
