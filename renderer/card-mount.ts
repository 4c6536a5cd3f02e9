/** Draws a card: rounded corners, a light edge and a shadow. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Rect, Size } from './size.ts';

/** What a card shows: an image, a playing video, a panel or a waveform. */
export type CardContent = {
  readonly aspect: number;
  /** Covers the box, cropped to its shape. Times must increase from call to call. */
  draw(context: SKRSContext2D, box: Rect, second: number): void | Promise<void>;
  /** Never changes, so that its pixels may be cached. */
  readonly isStill?: true;
  close?(): Promise<void>;
};

export type MountedCard = {
  draw(context: SKRSContext2D, box: Rect, second: number, opacity?: number): Promise<void>;
};

/** Transparent pixels around the painted card, which smooth its edges. */
const border = 2;

/** A still card is painted once, for the first box, and scaled to others. */
export function mountCard(content: CardContent, unit: number): MountedCard {
  let painted: (Size & { readonly canvas: Canvas }) | null = null;
  return {
    async draw(context, box, second, opacity = 1) {
      const reach = 40 * unit;
      context.globalAlpha = opacity * 0.6;
      drawShadow(context, { ...box, y: box.y + reach * 0.4 }, reach);
      context.globalAlpha = opacity;
      if (!painted) {
        const [width, height] = [box.width, box.height].map((side) =>
          Math.max(2, Math.ceil(side * 1.2)),
        );
        painted = {
          width: width!,
          height: height!,
          canvas: createCanvas(width! + border * 2, height! + border * 2),
        };
        await paint(painted, second);
      } else if (!content.isStill) await paint(painted, second);
      const { canvas, width } = painted;
      const scale = box.width / width;
      const [x, y] = [box.x - border * scale, box.y - border * scale];
      context.drawImage(canvas, x, y, canvas.width * scale, canvas.height * scale);
      context.globalAlpha = 1;
    },
  };

  async function paint({ canvas, width, height }: Size & { canvas: Canvas }, second: number) {
    const context = canvas.getContext('2d');
    context.clearRect(0, 0, canvas.width, canvas.height);
    const box = { x: border, y: border, width, height };
    await drawFlat(context, content, { box, unit, second });
  }
}

async function drawFlat(
  context: SKRSContext2D,
  content: CardContent,
  options: { box: Rect; second: number; unit: number },
): Promise<void> {
  const { box, second, unit } = options;
  const outline = (inset: number): void => {
    const radius = Math.min(box.width, box.height) * 0.045 + 3 * unit - inset;
    const [width, height] = [box.width - inset * 2, box.height - inset * 2];
    context.beginPath();
    context.roundRect(box.x + inset, box.y + inset, width, height, radius);
  };
  context.save();
  outline(0);
  context.clip();
  context.imageSmoothingQuality = 'medium';
  await content.draw(context, box, second);
  context.restore();
  const line = Math.max(1, 1.5 * unit);
  const light = context.createLinearGradient(box.x, box.y, box.x, box.y + box.height);
  light.addColorStop(0, 'rgba(255,255,255,.6)');
  light.addColorStop(0.3, 'rgba(255,255,255,.22)');
  light.addColorStop(1, 'rgba(255,255,255,.12)');
  outline(line / 2);
  context.lineWidth = line;
  context.strokeStyle = light;
  context.stroke();
}

const shadowPixels = 128;
/** How far the soft edge of the shadow image reaches, in its pixels. */
const shadowReach = 32;
let shadowImage: Canvas | null = null;

function createShadowImage(): Canvas {
  const context = createCanvas(shadowPixels, shadowPixels).getContext('2d');
  context.shadowColor = '#000';
  context.shadowBlur = shadowReach * 1.1;
  // The rectangle itself is drawn outside the canvas; only its shadow is inside.
  context.shadowOffsetX = shadowPixels;
  const side = shadowPixels - shadowReach * 2;
  context.beginPath();
  context.roundRect(shadowReach - shadowPixels, shadowReach, side, side, 6);
  context.fill();
  return context.canvas;
}

function drawShadow(context: SKRSContext2D, box: Rect, reach: number): void {
  shadowImage ??= createShadowImage();
  // Stretched so that its soft edge starts at the edge of the card.
  const scale = shadowPixels / (shadowPixels - shadowReach * 2);
  const width = Math.min(box.width * scale, box.width + reach * 2);
  const height = Math.min(box.height * scale, box.height + reach * 2);
  const [x, y] = [box.x + (box.width - width) / 2, box.y + (box.height - height) / 2];
  context.drawImage(shadowImage, x, y, width, height);
}
