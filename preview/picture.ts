/**
 * What a clip shows, decided once from the job: a scene for words alone, the given pictures moving,
 * or references as cards; and over it the caption. Then any frame can be drawn.
 */
import type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas';
import { createCaption } from './caption.ts';
import { drawPanel, mounted } from './card.ts';
import { type Palette, paletteFor } from './colour.ts';
import { covering, loadPicture, reduced, UnusableImage } from './image.ts';
import { framesPerSecond, type Job, type JobMaterial, secondsOf } from './job.ts';
import { clamp } from './motion.ts';
import { noiseFrom, randomFrom, seedFrom } from './random.ts';
import { arrange, createReferences, type ReferenceCard } from './references.ts';
import { createHills } from './scenes/hills.ts';
import { createRibbons } from './scenes/ribbons.ts';
import type { Scene, Setting } from './scenes/scene.ts';
import { createSea } from './scenes/sea.ts';
import { type Size, sizeOf } from './size.ts';
import { createStills, presenceOver } from './stills.ts';

export type Picture = {
  readonly size: Size;
  /** Whether the sea is heard. */
  readonly bySea: boolean;
  draw(context: SKRSContext2D, second: number): void;
};

/** The first scene with a word the prompt has; none of them: the last. */
const scenes: readonly (readonly [RegExp, (setting: Setting) => Scene])[] = [
  [/\b(sea|ocean|coast|lighthouse|beach|lake|river|wave|boat|ship|harbo|island|whale)/, createSea],
  [
    /\b(mountain|hill|valley|forest|desert|dune|field|landscape|sunrise|sunset|horizon|sky|snow)/,
    createHills,
  ],
  [/(?:)/, createRibbons],
];

/** Throws `UnusableImage` when a fetched image cannot be shown. */
export async function createPicture(job: Job): Promise<Picture> {
  const { generation } = job;
  const images = job.materials.filter(({ kind }) => kind === 'image');
  const isShown = generation.generationType !== 'text-to-video';
  const firstImage = isShown && images[0] ? await open(images[0]) : null;
  const size = sizeOf(generation, firstImage);
  const random = randomFrom(seedFrom(generation.prompt, job.seed));
  const unit = Math.min(size.width, size.height) / 720;
  const palette = paletteFor(generation.prompt, random);
  const seconds = secondsOf(generation);
  const lastSecond = seconds - 1 / framesPerSecond;
  const setting = {
    ...{ size, seconds, palette, random, unit },
    prompt: generation.prompt,
    noise: noiseFrom(random),
  };
  const caption = createCaption({
    ...{ size, unit },
    prompt: generation.prompt,
    accent: palette.light,
    watermark: generation.watermark,
  });

  const words = generation.prompt.toLowerCase();
  const createScene = scenes.find(([pattern]) => pattern.test(words))![1];
  const isStills = generation.generationType === 'image-to-video' && images.length > 0;
  const scene = await chooseScene();

  async function chooseScene(): Promise<Scene> {
    if (isStills) {
      const first = frameOf(images[0]!, firstImage, { size, palette });
      const last = images[1] && frameOf(images[1], await open(images[1]), { size, palette });
      return createStills({ size, palette, lastSecond, first, last: last ?? null });
    }
    const background = createScene(setting);
    if (!isShown) return background;
    const cards = await cardsOf(job.materials, { setting, captionTop: caption.top });
    return createReferences({ background, cards, size, random, unit });
  }

  return {
    size,
    bySea: createScene === createSea,
    draw(context, second) {
      scene.draw(context, second);
      const endsOnPicture = images.length > 1;
      const presence = isStills ? presenceOver(second, { lastSecond, endsOnPicture }) : 1;
      caption.draw(context, { second, presence });
    },
  };
}

async function open(material: JobMaterial): Promise<Image | null> {
  if (material.file === null) return null;
  try {
    return await loadPicture(material.file);
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw new UnusableImage(`image ${material.index + 1} (${material.title}): ${error.message}`);
  }
}

/** The material as a whole picture of the given size. */
function frameOf(
  material: JobMaterial,
  image: Image | Canvas | null,
  look: { readonly size: Size; readonly palette: Palette },
): Canvas {
  return image ? covering(image, look.size) : drawPanel({ material, ...look });
}

/** Pictures are kept as small as they may be shown: thirty at full size would fill the memory. */
async function cardsOf(
  materials: readonly JobMaterial[],
  { setting, captionTop }: { readonly setting: Setting; readonly captionTop: number },
): Promise<ReferenceCard[]> {
  const { size, palette, unit } = setting;
  const margin = Math.round(size.width * 0.06);
  const top = Math.round(size.height * 0.12);
  const area = {
    x: margin,
    y: top,
    width: size.width - margin * 2,
    height: Math.max(size.height * 0.3, captionTop - top - 26 * unit),
  };
  const longestSide = (Math.max(area.width, area.height) / Math.sqrt(materials.length)) * 1.4;
  const pictures: (Canvas | null)[] = [];
  for (const material of materials) {
    const image = material.kind === 'image' ? await open(material) : null;
    pictures.push(image && reduced(image, longestSide));
  }
  const shapes = pictures.map((one) => (one ? clamp(one.width / one.height, 0.5, 2.2) : 16 / 9));
  const boxes = arrange(shapes, area, 22 * unit);
  return materials.map((material, index) => {
    const box = boxes[index]!;
    const width = Math.max(2, Math.round(box.width));
    const cardSize = { width, height: Math.max(2, Math.round(box.height)) };
    const picture = frameOf(material, pictures[index] ?? null, { size: cardSize, palette });
    const { card, margin: room } = mounted(picture, unit);
    return { picture: card, margin: room, box };
  });
}
