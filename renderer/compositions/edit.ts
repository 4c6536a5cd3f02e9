/**
 * Editing: the given video from its first frame to its last, restyled as the prompt asks. The style
 * changes in every frame; content and timing stay the same.
 */
import { ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { createGrader } from '../edit/color-transform.ts';
import { createFinish } from '../edit/finish.ts';
import { createParticles } from '../edit/particles.ts';
import { styles } from '../edit/styles.ts';
import { type Treatment, treatmentOf } from '../edit/treatment.ts';
import { drawPanel } from '../panel.ts';
import type { JobMaterial } from '../render-job.ts';
import type { VideoSource } from '../source/video.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { createInsetCards } from './inset-cards.ts';

export async function createEdit(
  clip: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const treatment = treatmentOf(clip.setting.brief, clip.setting.palette);
  const video = clip.plan.videos.get(chosen.index);
  const picture = video
    ? await createRestyledVideo(clip, { video, treatment })
    : createPanel(clip, chosen);
  const particles = treatment.particles && createParticles(treatment.particles, clip.setting);
  const cards = await createInsetCards(clip, chosen);
  return {
    async draw(context, second) {
      await picture.draw(context, second);
      particles?.(context, second);
      await cards.draw(context, second);
    },
    captionOpacity: () => 1,
    async close() {
      await picture.close();
      await cards.close();
    },
  };
}

type VideoLayer = {
  draw(context: SKRSContext2D, second: number): Promise<void>;
  close(): Promise<void>;
};

function createPanel({ setting }: CompositionContext, material: JobMaterial): VideoLayer {
  const panel = drawPanel({ material, ...setting });
  return {
    draw: async (context) => context.drawImage(panel, 0, 0),
    close: async () => {},
  };
}

async function createRestyledVideo(
  { setting }: CompositionContext,
  { video, treatment }: { readonly video: VideoSource; readonly treatment: Treatment },
): Promise<VideoLayer> {
  const { size, unit, random, seconds } = setting;
  const { grade } = treatment;
  const style = treatment.style && styles[treatment.style];
  const filters = style?.filters(size, unit) ?? '';
  const player = await video.play({ size, atEnd: 'hold', threads: 2, filters });
  const grader = createGrader(grade.transform, {
    ...{ size, grain: grade.grain, vignette: grade.vignette, random },
    posterLevels: style?.posterLevels ?? 0,
  });
  const image = new ImageData(size.width, size.height);
  const finish = createFinish({
    ...{ size, unit, random, grade, seconds },
    hasScanlines: style?.hasScanlines ?? false,
  });
  return {
    async draw(context, second) {
      grader.apply(await player.next(), image.data as Uint8ClampedArray, second);
      context.putImageData(image, 0, 0);
      finish(context, second);
    },
    close: () => player.close(),
  };
}
