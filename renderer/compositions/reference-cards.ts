/** The references of a job, opened: what each shows on its card, and which the prompt names. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { typefaceFor } from '../captions/typeface.ts';
import { coverBox, openFace, openImage } from '../card.ts';
import type { Box, CardContent } from '../card-content.ts';
import { backdropFor, reduced } from '../image.ts';
import { clamp } from '../motion.ts';
import { waveformCard } from '../panel.ts';
import { createParallax } from '../parallax.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import type { Size } from '../size.ts';
import { videoFace } from '../source/face.ts';
import { loudnessInTurn } from '../source/loudness.ts';
import type { CompositionContext } from './composition.ts';
import { namedIn } from './spotlight-order.ts';

export type Reference = {
  readonly kind: MaterialKind;
  readonly face: CardContent;
  /** Its place in the order in which the prompt names them; null when it does not. */
  readonly namedAs: number | null;
};

/** Pictures are kept as small as they may be shown: thirty at full size would fill the memory. */
export async function openReferences(stage: CompositionContext, area: Size): Promise<Reference[]> {
  const { materials, generation } = stage.job;
  const seen = materials.filter(({ kind }) => kind !== 'audio').length;
  const named = namedIn(generation.prompt, materials);
  const longest = Math.max(area.width, area.height);
  // Few come forward to be looked at; of many each is as large as its share of the wall.
  const longestSide = seen <= 6 || named.length > 0 ? longest : (longest / Math.sqrt(seen)) * 1.5;
  const loudness = await loudnessInTurn(materials, stage.setting.seconds);
  const references: Reference[] = [];
  for (const [at, material] of materials.entries()) {
    const face =
      seen <= 2 && material.kind === 'image' && material.file !== null
        ? await filmFace(stage, material, area)
        : await plainFace(stage, material, { longestSide, loudness });
    const place = named.indexOf(at);
    references.push({
      kind: material.kind,
      face: named.length > 0 ? numbered(face, material, stage.setting.unit) : face,
      namedAs: place < 0 ? null : place,
    });
  }
  return references;
}

type FaceOptions = {
  readonly longestSide: number;
  /** Of the audio files, by their place in the request. */
  readonly loudness: ReadonlyMap<number, (second: number) => number>;
};

async function plainFace(
  { plan, setting }: CompositionContext,
  material: JobMaterial,
  { longestSide, loudness }: FaceOptions,
): Promise<CardContent> {
  const { palette } = setting;
  const { kind, index } = material;
  const video = kind === 'video' ? plan.videos.get(index) : undefined;
  if (video) return await videoFace(video, { longestSide });
  const loudnessAt = kind === 'audio' ? loudness.get(index) : undefined;
  if (loudnessAt) return waveformCard(material, { palette, longestSide, loudnessAt });
  return await openFace(material, { palette, longestSide });
}

/** A picture the camera moves in, for one that is seen large. */
async function filmFace(
  { setting, lastSecond }: CompositionContext,
  material: JobMaterial,
  area: Size,
): Promise<CardContent> {
  const image = (await openImage(material))!;
  const fit = Math.min(area.width / image.width, area.height / image.height) * 1.05;
  const longestSide = Math.round(Math.max(image.width, image.height) * fit);
  const picture = reduced(image, longestSide, backdropFor(image, setting.palette));
  const canvas = createCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d', { alpha: false });
  const parallax = createParallax(picture, { move: setting.brief.camera, lastSecond });
  return {
    shape: picture.width / picture.height,
    draw(target, box, second) {
      parallax.draw(context, second);
      coverBox(target, canvas, box);
    },
  };
}

const kindNames = { image: 'Image', video: 'Video', audio: 'Audio' } as const;

/** With its name in the corner, as the prompt calls it. */
function numbered(face: CardContent, material: JobMaterial, unit: number): CardContent {
  const name = `${kindNames[material.kind]} ${material.index + 1}`;
  const typeface = typefaceFor(name, { weight: 600 });
  const { width } = typeface.extentOf(name);
  function drawName(context: SKRSContext2D, box: Box): void {
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
    ...face,
    async draw(context, box, second) {
      await face.draw(context, box, second);
      drawName(context, box);
    },
  };
}
