/** A video on a card: plays in a loop, decoded no larger than it is shown. */
import { createCanvas } from '@napi-rs/canvas';
import type { CardContent } from '../card-mount.ts';
import { coverBox } from '../image.ts';
import { putPixels, type VideoSource } from './video.ts';

/** A video beyond the memory limit shows its last frame only. */
export async function videoCard(
  source: VideoSource,
  { longestSide }: { readonly longestSide: number },
): Promise<CardContent> {
  const { width, height } = source.size;
  const scale = Math.min(1, longestSide / Math.max(width, height));
  const size = {
    width: Math.max(2, Math.round(width * scale)),
    height: Math.max(2, Math.round(height * scale)),
  };
  const aspect = width / height;
  if (source.isStill) {
    const still = await source.lastFrame(size);
    return { aspect, isStill: true, draw: (context, box) => coverBox(context, still, box) };
  }
  const player = await source.play({ size, atEnd: 'repeat', threads: 1 });
  const canvas = createCanvas(size.width, size.height);
  return {
    aspect,
    async draw(context, box) {
      putPixels(canvas, await player.next());
      coverBox(context, canvas, box);
    },
    close: () => player.close(),
  };
}
