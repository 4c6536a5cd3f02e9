/** A video as it is seen on a card: playing again and again, decoded no larger than it is shown. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { coverBox } from '../card.ts';
import type { CardContent } from '../card-content.ts';
import { framesPerSecond } from '../render-job.ts';
import type { Size } from '../size.ts';
import { canvasOf, paste, type VideoSource } from './video.ts';

export type FaceOptions = { readonly longestSide: number };

export async function videoFace(
  source: VideoSource,
  { longestSide }: FaceOptions,
): Promise<CardContent> {
  const { width, height } = source.size;
  const side = source.isHeavy ? Math.min(longestSide, sampledSideMax) : longestSide;
  const scale = Math.min(1, side / Math.max(width, height));
  const size = {
    width: Math.max(2, Math.round(width * scale)),
    height: Math.max(2, Math.round(height * scale)),
  };
  const shape = width / height;
  if (source.isHeavy) return { shape, ...(await samplesOf(source, size)) };
  const player = await source.play({ size, atEnd: 'repeat', threads: 1 });
  const canvas = createCanvas(size.width, size.height);
  return {
    shape,
    async draw(context, box) {
      paste(canvas, await player.next());
      coverBox(context, canvas, box);
    },
    close: () => player.close(),
  };
}

/** What is kept of a video that is not decoded while it is shown: few frames, and small. */
const [samplesMax, sampledSideMax] = [40, 480];
/** Four a second are still seen as movement. */
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
