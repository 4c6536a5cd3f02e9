/**
 * Lays out the prompt on a frame of any shape, left-to-right or right-to-left: as a caption of
 * few small lines at the bottom, or as a title in the middle with an accent line above it.
 */
import { smooth } from '../motion.ts';
import type { Size } from '../size.ts';
import { isMostlyHan, typefaceFor } from './coverage.ts';
import { joinSegments, segmentsOf, setLines, type TextSpace, type TextStep } from './lines.ts';
import { excerptOf, isRightToLeft } from './text.ts';

export type CaptionLayout = ReturnType<typeof setText>;

type Frame = { readonly size: Size; readonly unit: number };

/** Small lines at the bottom, below the subject of a scene. */
export function layOut(prompt: string, frame: Frame): CaptionLayout {
  const { height } = frame.size;
  return setText(prompt, frame, {
    spaceFor: captionSpace,
    lastBaseline: ({ margin, descent }) => height - margin * 0.8 - descent,
  });
}

/** Large lines around the middle of the frame. */
export function layOutTitle(prompt: string, frame: Frame): CaptionLayout {
  const { height } = frame.size;
  return setText(prompt, frame, {
    spaceFor: titleSpace,
    lastBaseline: ({ textHeight, descent }) => height * 0.52 + textHeight / 2 - descent,
  });
}

type Placement = {
  spaceFor(text: string, frame: Frame): TextSpace;
  lastBaseline(block: {
    readonly margin: number;
    readonly textHeight: number;
    readonly descent: number;
  }): number;
};

function setText(prompt: string, frame: Frame, placement: Placement) {
  const { size, unit } = frame;
  const { width, height } = size;
  const { text, isTruncated } = excerptOf(prompt);
  // Includes the ellipsis, which a shortened text needs.
  const typeface = typefaceFor(`${text}…`);
  const margin = marginOf(size);
  const rightToLeft = isRightToLeft(text);
  const segments = segmentsOf(text);
  const { lines, pixels } = setLines(
    { segments, isTruncated },
    placement.spaceFor(text, frame),
    (one) => typeface.extentOf(one).width,
  );
  const extents = lines.map((line) => typeface.extentOf(joinSegments(line)));
  const firstAscent = Math.max(0.73, extents[0]?.ascent ?? 0);
  const ascent = Math.max(firstAscent, ...extents.map((extent) => extent.ascent));
  const descent = Math.max(0.22, ...extents.map((extent) => extent.descent));
  const leading = Math.max(isMostlyHan(text) ? 1.38 : 1.24, ascent + descent + 0.12);
  const lineHeight = Math.round(pixels * leading);
  const textHeight = (lines.length - 1) * lineHeight + pixels * (firstAscent + descent);
  const lastBaseline = Math.round(
    placement.lastBaseline({ margin, textHeight, descent: pixels * descent }),
  );
  const firstBaseline = lastBaseline - (lines.length - 1) * lineHeight;
  const strokeY = Math.round(firstBaseline - pixels * (firstAscent + 0.42) - 9 * unit);
  const strokeWidth = pixels * 1.7;
  return {
    typeface,
    pixels,
    rightToLeft,
    margin,
    lines: lines.map((line, index) => {
      const { width: ems, ascent: up, descent: down } = extents[index]!;
      return {
        text: joinSegments(line),
        baseline: firstBaseline + index * lineHeight,
        x: rightToLeft ? width - margin - ems * pixels : margin,
        width: ems * pixels,
        ascent: up * pixels,
        descent: down * pixels,
      };
    }),
    stroke: {
      x: rightToLeft ? width - margin - strokeWidth : margin,
      y: strokeY,
      width: strokeWidth,
      height: Math.max(2, Math.round(3 * unit)),
    },
    /** The upper edge of everything; without lines, the lower margin. */
    top: lines.length === 0 ? height - margin : Math.round(strokeY - pixels * 0.4),
  };
}

/** A twentieth of a wide frame, and more of a square or tall one. */
function marginOf({ width, height }: Size): number {
  return Math.round(width * (0.05 + 0.02 * smooth(width / height, { from: 16 / 9, to: 1 })));
}

/** Font sizes and line counts by the shape of the frame and the script. */
function captionSpace(text: string, { size, unit }: Frame): TextSpace {
  const { width, height } = size;
  const more = width / height < 1.2 ? 1 : 0;
  const step = stepWith(text, unit);
  const steps: TextStep[] = [step(26, 1), step(24, 1)];
  for (let points = 23; points >= 19; points -= 1) steps.push(step(points, 2 + more));
  return { width: width * columnShare(size), steps, forExcerpt: step(20, 2 + more) };
}

function titleSpace(text: string, { size, unit }: Frame): TextSpace {
  const { width, height } = size;
  const more = width / height < 0.8 ? 3 : width / height < 1.2 ? 1 : 0;
  const step = stepWith(text, unit);
  const steps: TextStep[] = [];
  for (let points = 88; points > 56; points -= 4) steps.push(step(points, 2 + more));
  for (let points = 56; points >= 36; points -= 2) steps.push(step(points, 4 + more));
  return { width: width * columnShare(size), steps, forExcerpt: step(38, 4 + more) };
}

/** Two thirds of a wide frame are easy to read; a tall frame needs nearly all its width. */
const columnShare = ({ width, height }: Size): number =>
  Math.min(0.84, Math.max(0.56, 0.62 + (16 / 9 - width / height) * 0.26));

function stepWith(text: string, unit: number): (points: number, linesMax: number) => TextStep {
  const scale = unit * (isMostlyHan(text) ? 0.94 : 1);
  return (points, linesMax) => ({ pixels: Math.round(points * scale), linesMax });
}
