/** The styles of an edit, drawn, painted or taped: FFmpeg filters and settings of later steps. */
import type { Size } from '../size.ts';

export type StyleName = 'sketch' | 'watercolor' | 'oil' | 'comic' | 'pixels' | 'tape';

export type EditStyle = {
  readonly filters: (size: Size, unit: number) => string;
  readonly posterLevels: number;
  readonly hasScanlines: boolean;
  /** Without film grain, glow and light. */
  readonly isFlat: boolean;
};

const plain = { filters: () => '', posterLevels: 0, hasScanlines: false, isFlat: true } as const;

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
function painted({ width, height }: Size, sharpness: number): string {
  const scale = Math.min(1, Math.sqrt((360 * 640) / (width * height)));
  const small = `${even(width * scale)}:${even(height * scale)}`;
  return (
    `scale=${small}:flags=area,format=gbrp,median=radius=4,unsharp=5:5:${sharpness},` +
    `scale=${width}:${height}:flags=bicubic`
  );
}

function inked(unit: number): string {
  const line = (2 * unit).toFixed(2);
  return (
    `format=yuv420p,bilateral=sigmaS=7:sigmaR=0.2,split[flat][line];` +
    `[line]gblur=sigma=${line}:planes=1,sobel=planes=1:scale=2.4,` +
    `lutyuv=y='clip(255-max(0,val-64)*2.6,20,255)'[ink];` +
    `[flat][ink]blend=c0_mode=multiply:c1_mode=normal:c2_mode=normal`
  );
}

export const styles: Record<StyleName, EditStyle> = {
  sketch: { ...plain, filters: (_, unit) => pencil(unit) },
  watercolor: { ...plain, filters: (size) => painted(size, 0) },
  oil: { ...plain, filters: (size) => painted(size, 1.5) },
  comic: { ...plain, filters: (_, unit) => inked(unit), posterLevels: 7 },
  pixels: {
    ...plain,
    filters({ width, height }, unit) {
      const cell = 9 * unit;
      const small = `${even(width / cell)}:${even(height / cell)}`;
      return `scale=${small}:flags=area,scale=${width}:${height}:flags=neighbor`;
    },
    posterLevels: 8,
  },
  tape: {
    ...plain,
    filters: (_, unit) => {
      const shift = Math.max(1, Math.round(3 * unit));
      return (
        `format=yuv420p,chromashift=cbh=${shift}:crh=${-shift},` +
        `boxblur=luma_radius=0:chroma_radius=${shift}`
      );
    },
    hasScanlines: true,
    isFlat: false,
  },
};
