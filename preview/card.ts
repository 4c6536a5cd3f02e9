/**
 * A material as a card: the picture itself, or, for what cannot be shown, a panel that says what it
 * is and where it came from.
 */
import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, type Palette } from './colour.ts';
import { fontOf, withoutMissing } from './fonts.ts';
import { covering, loadPicture, UnusableImage } from './image.ts';
import type { JobMaterial } from './job.ts';
import { randomFrom, seedFrom } from './random.ts';
import type { Size } from './size.ts';

const kindNames = { image: 'Image', video: 'Video', audio: 'Audio' } as const;

type PanelOptions = {
  readonly material: JobMaterial;
  readonly size: Size;
  readonly palette: Palette;
};

/** The picture of an image; null when it could not be fetched. Names it when it is unusable. */
export async function openImage(material: JobMaterial): Promise<Image | null> {
  if (material.file === null) return null;
  try {
    return await loadPicture(material.file);
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    throw new UnusableImage(`image ${material.index + 1} (${material.title}): ${error.message}`);
  }
}

/** The material as a whole picture of the given size. */
export function frameOf(
  material: JobMaterial,
  image: Image | Canvas | null,
  look: { readonly size: Size; readonly palette: Palette },
): Canvas {
  return image ? covering(image, look.size) : drawPanel({ material, ...look });
}

/** An opaque picture of the given size, whatever that is: a small card or a whole frame. */
function drawPanel({ material, size, palette }: PanelOptions): Canvas {
  const { width, height } = size;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const ground = context.createLinearGradient(0, 0, width * 0.4, height);
  ground.addColorStop(0, css(mix(palette.middle, palette.shade, 0.35)));
  ground.addColorStop(1, css(mix(palette.high, palette.shade, 0.7)));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);

  const scale = Math.min(height / 9, width / 12);
  const middle = width / 2;
  context.fillStyle = css(palette.light, 0.9);
  context.strokeStyle = css(palette.light, 0.9);
  drawSign(context, material, { x: middle, y: height * 0.5 - scale * 1.6, scale });
  const say = (text: string, line: Line): void => drawLine(context, text, { ...line, size });
  const name = `${kindNames[material.kind]} ${material.index + 1}`;
  say(name, { y: height * 0.5 + scale * 0.7, pixels: scale * 0.86, alpha: 1 });
  say(material.title, { y: height * 0.5 + scale * 1.75, pixels: scale * 0.56, alpha: 0.72 });
  if (material.file === null) {
    say('could not be reached', { y: height * 0.5 + scale * 2.6, pixels: scale * 0.5, alpha: 0.5 });
  }
  return canvas;
}

type Line = { readonly y: number; readonly pixels: number; readonly alpha: number };

/** One centred line, shortened from its end until it fits. */
function drawLine(
  context: SKRSContext2D,
  text: string,
  line: Line & { readonly size: Size },
): void {
  context.font = fontOf(line.alpha === 1 ? 600 : 500, Math.max(6, line.pixels));
  context.textAlign = 'center';
  context.fillStyle = `rgba(255,255,255,${line.alpha})`;
  const whole = withoutMissing(text);
  let shown = whole;
  const tooWide = (): boolean => context.measureText(shown).width > line.size.width * 0.86;
  for (let length = whole.length - 1; length > 0 && tooWide(); length -= 1) {
    shown = `${whole.slice(0, length)}…`;
  }
  context.fillText(shown, line.size.width / 2, line.y);
}

type Place = { readonly x: number; readonly y: number; readonly scale: number };

/** A framed hill for an image, a play sign for a video, a wave form for audio. */
function drawSign(context: SKRSContext2D, material: JobMaterial, { x, y, scale }: Place): void {
  context.lineWidth = Math.max(1.5, scale * 0.11);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  context.beginPath();
  if (material.kind === 'audio') {
    const random = randomFrom(seedFrom(material.title));
    for (let bar = -7; bar <= 7; bar += 1) {
      const half = scale * (0.15 + random() * 0.9 * Math.cos((bar / 7) * 1.3));
      context.moveTo(x + bar * scale * 0.26, y - half);
      context.lineTo(x + bar * scale * 0.26, y + half);
    }
    context.stroke();
    return;
  }
  if (material.kind === 'video') {
    context.arc(x, y, scale, 0, Math.PI * 2);
    context.stroke();
    context.beginPath();
    context.moveTo(x - scale * 0.3, y - scale * 0.46);
    context.lineTo(x + scale * 0.5, y);
    context.lineTo(x - scale * 0.3, y + scale * 0.46);
    context.fill();
    return;
  }
  context.roundRect(x - scale * 1.2, y - scale * 0.9, scale * 2.4, scale * 1.8, scale * 0.2);
  context.moveTo(x - scale * 1.15, y + scale * 0.55);
  context.lineTo(x - scale * 0.3, y - scale * 0.2);
  context.lineTo(x + scale * 0.25, y + scale * 0.35);
  context.lineTo(x + scale * 0.6, y + scale * 0.05);
  context.lineTo(x + scale * 1.15, y + scale * 0.55);
  context.stroke();
}

/** The given picture with round corners, a hairline and a shadow; `margin` is the shadow's room. */
export function mounted(picture: Canvas, unit: number): { card: Canvas; margin: number } {
  const { width, height } = picture;
  const margin = Math.ceil(30 * unit);
  const card = createCanvas(width + margin * 2, height + margin * 2);
  const context = card.getContext('2d');
  const radius = Math.min(width, height) * 0.045;
  const outline = (): void => {
    context.beginPath();
    context.roundRect(margin, margin, width, height, radius);
  };
  context.shadowColor = 'rgba(0,0,0,.55)';
  context.shadowBlur = 26 * unit;
  context.shadowOffsetY = 9 * unit;
  context.fillStyle = '#111';
  outline();
  context.fill();
  context.shadowColor = 'transparent';
  context.save();
  outline();
  context.clip();
  context.drawImage(picture, margin, margin);
  context.restore();
  context.strokeStyle = 'rgba(255,255,255,.35)';
  context.lineWidth = Math.max(1, 1.6 * unit);
  outline();
  context.stroke();
  return { card, margin };
}
