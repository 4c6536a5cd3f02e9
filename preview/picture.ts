/**
 * What a clip shows, decided once from the job: its size and length, the mode that draws it, and
 * over it the caption. Then its frames can be drawn, one after the other.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Brief, readBrief } from './brief.ts';
import { cameraPath } from './camera.ts';
import { createCaption } from './caption.ts';
import { openImage } from './card.ts';
import { paletteFor } from './colour.ts';
import { framesPerSecond, type Job, secondsOf } from './job.ts';
import { createImages } from './modes/images.ts';
import type { Mode, Stage } from './modes/mode.ts';
import { createReferences } from './modes/references.ts';
import { createText } from './modes/text.ts';
import { noiseFrom, randomFrom, seedFrom } from './random.ts';
import { createScene } from './scenes/choose.ts';
import { type Size, sizeOf } from './size.ts';

export type Picture = {
  readonly size: Size;
  readonly frames: number;
  readonly brief: Brief;
  /** Frames are drawn in their order, each once. */
  draw(context: SKRSContext2D, frame: number): Promise<void>;
  close(): Promise<void>;
};

/** Throws `UnusableImage` when a fetched image cannot be shown. */
export async function createPicture(job: Job): Promise<Picture> {
  const { generation } = job;
  const size = sizeOf(generation, await firstShapeOf(job));
  const seconds = secondsOf(generation);
  const frames = Math.round(seconds * framesPerSecond);
  const random = randomFrom(seedFrom(generation.prompt, job.seed));
  const unit = Math.min(size.width, size.height) / 720;
  const brief = readBrief(generation.prompt);
  const setting = {
    ...{ size, seconds, brief, random, unit },
    palette: paletteFor(brief, random),
    camera: cameraPath(brief.camera, { size, seconds }),
    noise: noiseFrom(random),
  };
  const caption = createCaption({
    ...{ size, unit },
    prompt: generation.prompt,
    accent: setting.palette.light,
    watermark: generation.watermark,
  });
  const mode = await createMode({
    ...{ job, setting },
    scene: () => createScene(setting),
    lastSecond: (frames - 1) / framesPerSecond,
    captionTop: caption.top,
  });
  return {
    ...{ size, frames, brief },
    async draw(context, frame) {
      const second = frame / framesPerSecond;
      await mode.draw(context, second);
      caption.draw(context, { second, presence: mode.presence(second) });
    },
    close: async () => await mode.close?.(),
  };
}

async function createMode(stage: Stage): Promise<Mode> {
  const { generation, materials } = stage.job;
  const isShown = generation.generationType !== 'text-to-video' && materials.length > 0;
  if (!isShown) return createText(stage);
  return generation.generationType === 'image-to-video'
    ? await createImages(stage)
    : await createReferences(stage);
}

/** What `adaptive` follows; null for nothing to follow. */
async function firstShapeOf({ generation, materials }: Job): Promise<Size | null> {
  const first = materials.find(({ kind }) => kind === 'image');
  if (generation.generationType === 'text-to-video' || !first) return null;
  return await openImage(first);
}
