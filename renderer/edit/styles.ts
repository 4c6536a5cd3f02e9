/** The styles of an edit, drawn or painted: FFmpeg filters, and the levels of posterized colors. */
import type { Size } from '../size.ts';

export type StyleName = 'sketch' | 'watercolor' | 'oil' | 'comic' | 'pixels';

type EditStyle = {
  readonly filters: (size: Size, unit: number) => string;
  readonly posterLevels: number;
};

const even = (value: number): number => Math.max(2, Math.round(value / 2) * 2);

/** A color dodge with the blurred negative leaves lines on white, like a pencil drawing. */
function pencil(unit: number): string {
  const soft = (13 * unit).toFixed(2);
  return (
    `format=gray,split[line][soft];[soft]negate,gblur=sigma=${soft}[dodge];` +
    '[line][dodge]blend=all_mode=dodge'
  );
}

/**
 * A median filter leaves flat strokes; sharpening gives them hard edges, like oil paint. Works on a
 * reduced frame, since finer strokes would not be visible and the filter is slow.
 */
function painted({ width, height }: Size, { radius, sharpness }: Brush): string {
  const scale = Math.min(1, Math.sqrt((360 * 640) / (width * height)));
  const small = `${even(width * scale)}:${even(height * scale)}`;
  return (
    `scale=${small}:flags=area,format=gbrp,median=radius=${radius},` +
    `unsharp=5:5:${sharpness},scale=${width}:${height}:flags=bicubic`
  );
}

type Brush = { readonly radius: number; readonly sharpness: number };

/** Lines along edges, multiplied onto the colors; `depth` is how dark they are, from 0 to 1. */
function inked(unit: number, depth: number): string {
  const line = (2 * unit).toFixed(2);
  return (
    `format=yuv420p,split[flat][line];` +
    `[line]gblur=sigma=${line}:planes=1,sobel=planes=1:scale=2.4,` +
    `lutyuv=y='clip(255-max(0,val-64)*2.6,${Math.round(255 * (1 - depth))},255)'[ink];` +
    `[flat][ink]blend=c0_mode=multiply:c1_mode=normal:c2_mode=normal`
  );
}

export const styles: Record<StyleName, EditStyle> = {
  sketch: { filters: (_, unit) => pencil(unit), posterLevels: 0 },
  // Flat washes within thin lines.
  watercolor: {
    filters: (size, unit) => `${painted(size, { radius: 5, sharpness: 0 })},${inked(unit, 0.4)}`,
    posterLevels: 12,
  },
  oil: { filters: (size) => painted(size, { radius: 4, sharpness: 1.5 }), posterLevels: 0 },
  comic: {
    filters: (_, unit) => `format=yuv420p,bilateral=sigmaS=7:sigmaR=0.2,${inked(unit, 0.92)}`,
    posterLevels: 7,
  },
  pixels: {
    filters({ width, height }, unit) {
      const cell = 9 * unit;
      const small = `${even(width / cell)}:${even(height / cell)}`;
      return `scale=${small}:flags=area,scale=${width}:${height}:flags=neighbor`;
    },
    posterLevels: 8,
  },
};
