/** Flower heads, painted once and drawn smaller. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import type { PromptBrief } from '../../prompt-brief.ts';
import type { Random } from '../../random.ts';
import type { SceneContext } from '../scene.ts';

export type Blossom = { readonly image: Canvas; readonly petal: Color };

type BlossomKind = {
  readonly petals: number;
  readonly plump: number;
  readonly tilt: number;
  readonly heart: number;
  readonly heartColor: Color;
};

const kinds = {
  daisy: { petals: 15, plump: 0.22, tilt: 0.72, heart: 0.24, heartColor: [250, 196, 64] },
  cosmos: { petals: 8, plump: 0.52, tilt: 0.78, heart: 0.17, heartColor: [246, 202, 92] },
  poppy: { petals: 5, plump: 1.02, tilt: 0.66, heart: 0.2, heartColor: [52, 34, 46] },
  sunflower: { petals: 21, plump: 0.24, tilt: 0.8, heart: 0.42, heartColor: [92, 54, 24] },
} satisfies Record<string, BlossomKind>;

export const flowerWords = {
  poppy: 'popp(y|ies)',
  daisy: 'dais(y|ies)',
  sunflower: 'sunflower|girasol|girassol|sonnenblume|tournesol|подсолнух|向日葵|ひまわり|해바라기',
};

function kindsFor(brief: PromptBrief): readonly BlossomKind[] {
  for (const name of ['poppy', 'sunflower', 'daisy'] as const) {
    if (brief.mentions(new RegExp(flowerWords[name]))) return [kinds[name]];
  }
  return [kinds.daisy, kinds.cosmos, kinds.poppy, kinds.cosmos];
}

const pixels = 160;

export function createBlossoms(
  colors: readonly Color[],
  { palette, random, brief }: SceneContext,
): Blossom[] {
  const chosen = kindsFor(brief);
  return colors.map((petal, index) => {
    const image = createCanvas(pixels, pixels);
    const context = image.getContext('2d');
    context.translate(pixels / 2, pixels / 2);
    paintHead(context, { ...chosen[index % chosen.length]!, petal, light: palette.light, random });
    return { image, petal };
  });
}

type BlossomColors = BlossomKind & {
  readonly petal: Color;
  readonly light: Color;
  readonly random: Random;
};

function paintHead(context: SKRSContext2D, look: BlossomColors): void {
  const { petals, plump, tilt, heart, random } = look;
  const length = pixels * 0.47;
  context.scale(1, tilt);
  const turn = random() * Math.PI;
  const order = Array.from({ length: petals }, (_, index) => index);
  const below = order.filter((index) => index % 2 === 0);
  for (const index of [...below, ...order.filter((each) => each % 2 === 1)]) {
    const angle = turn + (index / petals) * Math.PI * 2;
    context.save();
    context.rotate(angle);
    const upward = 0.5 - 0.5 * Math.sin(angle);
    const lit = mix(look.petal, look.light, 0.12 + 0.34 * upward);
    const fill = context.createLinearGradient(0, 0, length, 0);
    fill.addColorStop(0, css(mix(look.petal, [40, 10, 40], 0.38)));
    fill.addColorStop(0.45, css(look.petal));
    fill.addColorStop(1, css(mix(lit, white, 0.18)));
    context.fillStyle = fill;
    paintPetal(context, { length: length * (0.9 + random() * 0.1), plump });
    context.restore();
  }
  const center = context.createRadialGradient(0, -3, 1, 0, 0, length * heart);
  center.addColorStop(0, css(mix(look.heartColor, white, 0.4)));
  center.addColorStop(0.6, css(look.heartColor));
  center.addColorStop(1, css(mix(look.heartColor, [60, 30, 10], 0.6)));
  context.fillStyle = center;
  context.beginPath();
  context.arc(0, 0, length * heart, 0, Math.PI * 2);
  context.fill();
}

function paintPetal(
  context: SKRSContext2D,
  { length, plump }: { readonly length: number; readonly plump: number },
): void {
  const half = (length * plump) / 2;
  context.beginPath();
  context.moveTo(0, 0);
  context.bezierCurveTo(
    length * 0.3,
    -half * 1.25,
    length * 0.85,
    -half * 1.3,
    length,
    -half * 0.25,
  );
  context.quadraticCurveTo(length * 0.96, 0, length, half * 0.25);
  context.bezierCurveTo(length * 0.85, half * 1.3, length * 0.3, half * 1.25, 0, 0);
  context.fill();
}

/** Blurs an image by making it small and large again several times. */
export function blurred(image: Canvas, smallest: number): Canvas {
  let current = image;
  for (const side of [smallest * 2, smallest, smallest * 4, smallest * 12]) {
    const context = createCanvas(side, side).getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(current, 0, 0, side, side);
    current = context.canvas;
  }
  return current;
}
