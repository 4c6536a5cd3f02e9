/** The frames of a clip: its size and length, the composition that draws it, and the overlays. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { createCaption } from './captions/caption.ts';
import { createCardGrid } from './compositions/card-grid.ts';
import type { Composition, CompositionContext } from './compositions/composition.ts';
import { createEdit } from './compositions/edit.ts';
import { createExtension } from './compositions/extension.ts';
import { createImages } from './compositions/images.ts';
import { paletteFor } from './palette.ts';
import { planOf } from './plan.ts';
import { parsePrompt } from './prompt-brief.ts';
import { noiseFrom, randomFrom, seedFrom } from './random.ts';
import { framesPerSecond, type RenderJob } from './render-job.ts';
import { createScene, drawnSize, resized } from './scenes/choose.ts';
import { sizeOf } from './size.ts';

/** Throws `UnusableMaterial` if a fetched material cannot be used. */
export async function createPicture(job: RenderJob) {
  const { generation } = job;
  const plan = await planOf(job);
  const { frames } = plan;
  const size = sizeOf(generation, plan.sourceSize);
  const seconds = frames / framesPerSecond;
  const random = randomFrom(seedFrom(generation.prompt, job.seed));
  const brief = parsePrompt(generation.prompt);
  const shared = {
    seconds,
    brief,
    random,
    palette: paletteFor(brief, random),
    noise: noiseFrom(random),
  };
  const setting = resized(shared, size);
  const drawn = drawnSize(size);
  const caption = createCaption({
    size,
    unit: setting.unit,
    // An edited preview shows its own caption already.
    prompt: plan.composition === 'edit' ? '' : generation.prompt,
    accent: setting.palette.light,
    watermark: generation.watermark,
    seconds,
    // Materials show the subject themselves.
    isTitle: plan.composition === 'text' && brief.isTitled,
  });
  const composition = await createComposition({
    job,
    plan,
    setting,
    scene: () => createScene(resized(shared, drawn)),
    drawn,
    lastSecond: (frames - 1) / framesPerSecond,
    captionTop: caption.top,
  });
  const lastFrame = frames - 1;
  return {
    size,
    /** The size of drawn frames, which the encoder enlarges before it adds the marks. */
    drawn: plan.composition === 'text' ? drawn : size,
    marks: caption.marks,
    frames,
    brief,
    plan,
    /** Frames are drawn in order, each once. */
    async draw(context: SKRSContext2D, frame: number): Promise<void> {
      await composition.draw(context, frame / framesPerSecond);
    },
    /** Of each mark. The next shot may start on the last frame, so nothing is drawn over it. */
    opacitiesOf(frame: number): readonly number[] {
      if (frame === lastFrame) return caption.marks.map(() => 0);
      const second = frame / framesPerSecond;
      return caption.opacitiesAt(second, composition.captionOpacity(second));
    },
    close: async () => await composition.close?.(),
  };
}

async function createComposition(clip: CompositionContext): Promise<Composition> {
  const { composition, chosen } = clip.plan;
  if (composition === 'edit' && chosen) return await createEdit(clip, chosen);
  if (composition === 'extension' && chosen) return await createExtension(clip, chosen);
  if (composition === 'references') return await createCardGrid(clip);
  if (composition === 'images') return await createImages(clip);
  return { draw: clip.scene(), captionOpacity: () => 1 };
}
