/** A justified layout: images of any aspect ratio in rows of equal width, as large as possible. */
import type { Rect } from '../card-mount.ts';

export function justify(aspects: readonly number[], area: Rect, gap: number): Rect[] {
  let best: Rect[] = [];
  let bestScore = 0;
  for (let count = 1; count <= aspects.length; count += 1) {
    const boxes = layOutRows(rowsOf(aspects, count), area, gap);
    const covered = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    // Rows of similar height are preferred over a fuller area.
    const heights = boxes.map(({ height }) => height);
    const evenness = Math.min(...heights) / Math.max(...heights);
    const score = covered * Math.min(1, evenness + 0.35);
    if (score <= bestScore) continue;
    [best, bestScore] = [boxes, score];
  }
  return best;
}

/** Splits the images in order into rows of about equal width. No row is empty. */
function rowsOf(aspects: readonly number[], count: number): number[][] {
  const rows: number[][] = [];
  let remaining = [...aspects];
  for (let left = count; left > 0; left -= 1) {
    const target = remaining.reduce((sum, aspect) => sum + aspect, 0) / left;
    let [taken, width] = [1, remaining[0]!];
    // An image joins the row if that brings its width closer to the target.
    while (remaining.length - taken >= left && width + remaining[taken]! / 2 < target) {
      width += remaining[taken]!;
      taken += 1;
    }
    if (left === 1) taken = remaining.length;
    rows.push(remaining.slice(0, taken));
    remaining = remaining.slice(taken);
  }
  return rows;
}

/** Every row as wide as the area, or all narrower if they would be too high together. */
function layOutRows(rows: readonly (readonly number[])[], area: Rect, gap: number): Rect[] {
  const sums = rows.map((row) => row.reduce((one, other) => one + other, 0));
  const heightsAt = (width: number): number[] =>
    rows.map((row, index) => (width - gap * (row.length - 1)) / sums[index]!);
  const free = area.height - gap * (rows.length - 1);
  const total = (width: number): number => heightsAt(width).reduce((one, other) => one + other, 0);
  // The total height is linear in the width.
  const heightPerWidth = sums.reduce((one, sum) => one + 1 / sum, 0);
  const width = Math.min(area.width, area.width - (total(area.width) - free) / heightPerWidth);
  const heights = heightsAt(width);
  const left = area.x + (area.width - width) / 2;
  let y = area.y + (free - total(width)) / 2;
  return rows.flatMap((row, index) => {
    const height = heights[index]!;
    let x = left;
    const boxes = row.map((aspect) => {
      const box = { x, y, width: aspect * height, height };
      x += box.width + gap;
      return box;
    });
    y += height + gap;
    return boxes;
  });
}
