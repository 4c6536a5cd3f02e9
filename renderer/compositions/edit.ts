/**
 * Editing: the given video from its first frame to its last, restyled as the prompt asks. The style
 * changes in every frame; content and timing stay the same.
 */
import { ImageData } from '@napi-rs/canvas';
import { drawPanel } from '../card.ts';
import { createGrader } from '../edit/color-transform.ts';
import { styles } from '../edit/styles.ts';
import { gradeFor, type Treatment, treatmentOf } from '../edit/treatment.ts';
import { createFogBank, createRainfall, createSnowfall } from '../elements/weather.ts';
import type { JobMaterial } from '../render-job.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';
import type { VideoSource } from '../source/video.ts';
import type { Composition, CompositionContext } from './composition.ts';

/** A video has no dark sky, so weather must be stronger than in a scene. */
const weathers: Record<'rain' | 'snow' | 'fog', (scene: SceneContext) => DrawAt> = {
  snow: (scene) => createSnowfall(scene, 2.2),
  rain: (scene) => createRainfall(scene, 1.8),
  fog: (scene) => createFogBank(scene, { y: 0.7, tall: 0.9, depth: 0.4, alpha: 0.7 }),
};

export async function createEdit(
  clip: CompositionContext,
  chosen: JobMaterial,
): Promise<Composition> {
  const treatment = treatmentOf(clip.setting.brief, clip.setting.palette);
  const video = clip.plan.videos.get(chosen.index);
  const picture = video
    ? await createRestyledVideo(clip, { video, treatment })
    : createPanel(clip, chosen);
  const weather = treatment.weather && weathers[treatment.weather](clip.setting);
  return {
    async draw(context, second) {
      await picture.draw(context, second);
      weather?.(context, second);
    },
    captionOpacity: () => 1,
    close: () => picture.close(),
  };
}

type VideoLayer = Required<Omit<Composition, 'captionOpacity'>>;

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
  const { size, unit, random } = setting;
  const style = treatment.style && styles[treatment.style];
  const filters = style?.filters(size, unit) ?? '';
  const player = await video.play({ size, atEnd: 'hold', threads: 2, filters });
  const image = new ImageData(size.width, size.height);
  const pixels = image.data as Uint8ClampedArray;
  let grader: ReturnType<typeof createGrader> | null | undefined;
  return {
    async draw(context, second) {
      const frame = await player.next();
      if (grader === undefined) {
        const grade = gradeFor(treatment, frame);
        const posterLevels = style?.posterLevels ?? 0;
        grader = grade && createGrader(grade.transform, { ...grade, size, random, posterLevels });
      }
      if (grader) grader.apply(frame, pixels, second);
      else pixels.set(frame);
      context.putImageData(image, 0, 0);
    },
    close: () => player.close(),
  };
}
