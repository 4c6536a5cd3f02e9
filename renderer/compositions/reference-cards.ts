/** Opens the references of a job as cards, and finds the ones that the prompt mentions. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { typefaceFor } from '../captions/typeface.ts';
import { openImage, openMaterialCard } from '../card.ts';
import type { CardContent, Rect } from '../card-content.ts';
import { backdropFor, coverBox, reduced } from '../image.ts';
import { clamp } from '../motion.ts';
import { materialName } from '../panel.ts';
import { createParallax } from '../parallax.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import type { Size } from '../size.ts';
import { openAudioFile } from '../sound/audio-file.ts';
import { namingMaterial } from '../unusable.ts';
import type { CompositionContext } from './composition.ts';
import { mentionedMaterials } from './spotlight.ts';

export type Reference = {
  readonly kind: MaterialKind;
  readonly content: CardContent;
  /** Its position in the order of mention; null when the prompt does not mention it. */
  readonly mention: number | null;
};

/** Images are reduced to the size they are shown at, since thirty large ones exceed the memory. */
export async function openReferences(clip: CompositionContext, area: Size): Promise<Reference[]> {
  const { materials, generation } = clip.job;
  const { palette, unit } = clip.setting;
  const visible = materials.filter(({ kind }) => kind !== 'audio').length;
  const mentioned = mentionedMaterials(generation.prompt, materials);
  const longest = Math.max(area.width, area.height);
  // Up to six cards, and mentioned ones, are enlarged; others stay at their size in the grid.
  const isEnlarged = visible <= 6 || mentioned.length > 0;
  const longestSide = isEnlarged ? longest : (longest / Math.sqrt(visible)) * 1.5;
  const { videos } = clip.plan;
  const references: Reference[] = [];
  for (const [at, material] of materials.entries()) {
    const content =
      visible <= 2 && material.kind === 'image' && material.file !== null
        ? await movingImageCard(clip, material, area)
        : await openMaterialCard(material, { palette, longestSide, videos });
    await checkAudio(material);
    const position = mentioned.indexOf(at);
    references.push({
      kind: material.kind,
      content: mentioned.length > 0 ? withName(content, material, unit) : content,
      mention: position < 0 ? null : position,
    });
  }
  return references;
}

/** A file that is not audio fails the task, even if the clip is silent. */
async function checkAudio(material: JobMaterial): Promise<void> {
  const { kind, file } = material;
  if (kind !== 'audio' || file === null) return;
  const audio = await namingMaterial(material, () => openAudioFile(file, { secondsMax: 1 }));
  await audio?.close();
}

async function movingImageCard(
  { setting, lastSecond }: CompositionContext,
  material: JobMaterial,
  area: Size,
): Promise<CardContent> {
  const image = (await openImage(material))!;
  const fit = Math.min(area.width / image.width, area.height / image.height) * 1.05;
  const longestSide = Math.max(image.width, image.height) * fit;
  const picture = reduced(image, longestSide, backdropFor(image, setting.palette));
  const parallax = createParallax(picture, { move: setting.brief.camera, lastSecond });
  const canvas = createCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d', { alpha: false });
  return {
    aspect: picture.width / picture.height,
    draw(target, box, second) {
      parallax.draw(context, second);
      coverBox(target, canvas, box);
    },
  };
}

function withName(content: CardContent, material: JobMaterial, unit: number): CardContent {
  const name = materialName(material);
  const typeface = typefaceFor(name, { weight: 600 });
  const { width } = typeface.extentOf(name);
  function drawName(context: SKRSContext2D, box: Rect): void {
    const pixels = clamp(box.height * 0.085, 10 * unit, 21 * unit);
    const inset = Math.max(6 * unit, pixels * 0.6);
    const [wide, high] = [width * pixels + pixels * 1.1, pixels * 1.75];
    if (wide > box.width - inset) return;
    context.fillStyle = 'rgba(8,10,20,.58)';
    context.beginPath();
    context.roundRect(box.x + inset, box.y + inset, wide, high, high / 2);
    context.fill();
    context.fillStyle = '#fff';
    const [x, baseline] = [box.x + inset + pixels * 0.55, box.y + inset + high / 2 + pixels * 0.36];
    typeface.draw(context, name, { x, baseline, pixels });
  }
  return {
    ...content,
    async draw(context, box, second) {
      await content.draw(context, box, second);
      drawName(context, box);
    },
  };
}
