/** What is given beside a video that is edited: small cards in the upper right corner. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { openFace } from '../card.ts';
import type { Box, CardContent } from '../card-content.ts';
import { mountCard } from '../card-mount.ts';
import { clamp, settle } from '../motion.ts';
import type { JobMaterial } from '../render-job.ts';
import { videoFace } from '../source/face.ts';
import type { CompositionContext } from './composition.ts';

export type Corner = {
  draw(context: SKRSContext2D, second: number): Promise<void>;
  close(): Promise<void>;
};

/** Beyond these nothing could be recognised any more. */
const cardsMax = 8;

export async function createCorner(
  { job, setting, plan }: CompositionContext,
  chosen: JobMaterial,
): Promise<Corner> {
  const { size, palette, unit } = setting;
  const beside = job.materials
    .filter(({ kind, index }) => kind !== 'audio' && !(kind === 'video' && index === chosen.index))
    .slice(0, cardsMax);
  const isTall = size.height > size.width;
  const height = (isTall ? 0.075 : 0.15) * size.height * (beside.length > 4 ? 0.75 : 1);
  const faces: CardContent[] = [];
  for (const material of beside) {
    const video = material.kind === 'video' ? plan.videos.get(material.index) : undefined;
    const longestSide = height * 2;
    faces.push(
      await (video
        ? videoFace(video, { longestSide })
        : openFace(material, { palette, longestSide })),
    );
  }
  const margin = Math.round(size.width * (isTall ? 0.07 : 0.05));
  // Below the watermark, which stands in the same corner when it is asked for.
  const y = margin * (job.generation.watermark ? 1.75 : 0.75);
  let right = size.width - margin;
  const cards = faces.toReversed().map((face) => {
    const width = height * clamp(face.shape, 0.6, 1.8);
    const box: Box = { x: right - width, y, width, height };
    right -= width + 10 * unit;
    return { box, mount: mountCard(face, unit * 0.6) };
  });
  return {
    async draw(context, second) {
      for (const [index, { box, mount }] of cards.entries()) {
        const arrived = settle((second - 0.3 - (cards.length - index) * 0.12) / 0.8);
        if (arrived <= 0) continue;
        const y = box.y - (1 - arrived) * 14 * unit;
        await mount.draw(context, { ...box, y }, second, { opacity: arrived });
      }
    },
    async close() {
      for (const face of faces) await face.close?.();
    },
  };
}
