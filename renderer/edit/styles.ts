/**
 * How a picture is made, not what colors it has: drawn, painted, printed, played from a tape. A
 * style is steps of FFmpeg's before the colors are graded, and what those steps leave to do.
 */
import type { Size } from '../size.ts';

export type StyleName = 'sketch' | 'watercolor' | 'oil' | 'comic' | 'pixels' | 'tape';

export type Style = {
  /** Steps for the pictures in their final size; none when empty. */
  readonly filters: (size: Size, unit: number) => string;
  /** The side of a stroke in pixels of a picture that is then enlarged; 0 for none. */
  readonly stroke: number;
  /** Levels of each component, as in print; 0 for all. */
  readonly steps: number;
  /** What it is made on. */
  readonly ground: 'paper' | 'canvas' | 'scanlines' | 'dots' | null;
  /** No grain, glow and passing light on what is drawn. */
  readonly isFlat: boolean;
};

const plain = { filters: () => '', stroke: 0, steps: 0, ground: null, isFlat: true } as const;

const even = (value: number): number => Math.max(2, Math.round(value / 2) * 2);

/** Dodging a picture by its own soft negative leaves its lines on white, as a pencil would. */
function pencil(unit: number): string {
  const soft = (13 * unit).toFixed(2);
  return (
    `format=gray,split[line][soft];[soft]negate,gblur=sigma=${soft}[dodge];` +
    '[line][dodge]blend=all_mode=dodge'
  );
}

/** Surfaces without detail, and dark lines where brightness changes much. */
function inked(unit: number): string {
  const line = (2 * unit).toFixed(2);
  return (
    `format=yuv420p,bilateral=sigmaS=7:sigmaR=0.2,split[flat][line];` +
    `[line]gblur=sigma=${line}:planes=1,sobel=planes=1:scale=2.4,` +
    `lutyuv=y='clip(255-max(0,val-64)*2.6,20,255)'[ink];` +
    `[flat][ink]blend=c0_mode=multiply:c1_mode=normal:c2_mode=normal`
  );
}

export const styles: Record<StyleName, Style> = {
  sketch: { ...plain, filters: (_, unit) => pencil(unit), ground: 'paper' },
  watercolor: { ...plain, stroke: 6, ground: 'paper' },
  oil: { ...plain, stroke: 5, ground: 'canvas' },
  comic: { ...plain, filters: (_, unit) => inked(unit), steps: 7, ground: 'dots' },
  pixels: {
    ...plain,
    filters({ width, height }, unit) {
      const cell = 9 * unit;
      const small = `${even(width / cell)}:${even(height / cell)}`;
      return `scale=${small}:flags=area,scale=${width}:${height}:flags=neighbor`;
    },
    steps: 8,
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
    ground: 'scanlines',
    isFlat: false,
  },
};
