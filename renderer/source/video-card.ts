/** A video on a card: plays in a loop, decoded no larger than it is shown. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { CardContent } from '../card-content.ts';
import { coverBox } from '../image.ts';
import { framesPerSecond } from '../render-job.ts';
import type { Size } from '../size.ts';
import { canvasOf, putPixels, type VideoSource } from './video.ts';

export async function videoCard(
  source: VideoSource,
  { longestSide }: { readonly longestSide: number },
): Promise<CardContent> {
  const { width, height } = source.size;
  const side = source.isPreloaded ? Math.min(longestSide, sampledSideMax) : longestSide;
  const scale = Math.min(1, side / Math.max(width, height));
  const size = {
    width: Math.max(2, Math.round(width * scale)),
    height: Math.max(2, Math.round(height * scale)),
  };
  const aspect = width / height;
  if (source.isPreloaded) return { aspect, ...(await samplesOf(source, size)) };
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

/** A preloaded video keeps at most this many frames, at this size. */
const [samplesMax, sampledSideMax] = [40, 480];
/** At least four frames a second, which still shows movement. */
const framesPerSampleMin = 6;

async function samplesOf(source: VideoSource, size: Size): Promise<Pick<CardContent, 'draw'>> {
  const player = await source.play({ size, atEnd: 'hold', threads: 2 });
  const frames = Math.ceil(source.seconds * framesPerSecond);
  const framesPerSample = Math.max(framesPerSampleMin, Math.ceil(frames / samplesMax));
  const samples: Canvas[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const pixels = await player.next();
    if (frame % framesPerSample === 0) samples.push(canvasOf(pixels, size));
  }
  await player.close();
  return {
    draw(context, box, second) {
      const at = Math.floor((second * framesPerSecond) / framesPerSample);
      coverBox(context, samples[at % samples.length]!, box);
    },
  };
}
