/**
 * Where pictures of any shapes hang together: rows of equal width, every picture whole, as large as
 * the room allows.
 */
import type { Box } from '../card-content.ts';

/** Boxes for pictures of the given shapes (width over height), in their order. */
export function arrange(shapes: readonly number[], area: Box, gap: number): Box[] {
  let best: Box[] = [];
  let bestCover = 0;
  for (let count = 1; count <= shapes.length; count += 1) {
    const boxes = hang(rowsOf(shapes, count), area, gap);
    const cover = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    // A wall whose pictures differ in size by much is none, however full it is.
    const heights = boxes.map(({ height }) => height);
    const evenness = Math.min(...heights) / Math.max(...heights);
    const worth = cover * Math.min(1, evenness + 0.35);
    if (worth <= bestCover) continue;
    [best, bestCover] = [boxes, worth];
  }
  return best;
}

/** Neighbours together in so many rows, the rows about equally wide. */
function rowsOf(shapes: readonly number[], count: number): number[][] {
  const before = [0];
  for (const shape of shapes) before.push(before.at(-1)! + shape);
  const fair = before.at(-1)! / count;
  const cost = (from: number, to: number): number => (before[to]! - before[from]! - fair) ** 2;
  // least[rows][to]: the smallest sum of costs for the first pictures in so many rows.
  const least = [[0, ...shapes.map(() => Number.POSITIVE_INFINITY)]];
  const breaks: number[][] = [[]];
  for (let rows = 1; rows <= count; rows += 1) {
    least[rows] = Array.from({ length: shapes.length + 1 }, () => Number.POSITIVE_INFINITY);
    breaks[rows] = [];
    for (let to = rows; to <= shapes.length; to += 1) {
      for (let from = rows - 1; from < to; from += 1) {
        const sum = least[rows - 1]![from]! + cost(from, to);
        if (sum >= least[rows]![to]!) continue;
        least[rows]![to] = sum;
        breaks[rows]![to] = from;
      }
    }
  }
  const rows: number[][] = [];
  for (let row = count, to = shapes.length; row > 0; row -= 1) {
    const from = breaks[row]![to]!;
    rows.unshift(shapes.slice(from, to));
    to = from;
  }
  return rows;
}

/** Every row as wide as the area, or all narrower by as much when they are too high together. */
function hang(rows: readonly (readonly number[])[], area: Box, gap: number): Box[] {
  const sums = rows.map((row) => row.reduce((one, other) => one + other, 0));
  const heightsAt = (width: number): number[] =>
    rows.map((row, index) => (width - gap * (row.length - 1)) / sums[index]!);
  const room = area.height - gap * (rows.length - 1);
  const total = (width: number): number => heightsAt(width).reduce((one, other) => one + other, 0);
  // Both grow evenly with the width, so the width that just fits is found at once.
  const perWidth = sums.reduce((one, sum) => one + 1 / sum, 0);
  const width = Math.min(area.width, area.width - (total(area.width) - room) / perWidth);
  const heights = heightsAt(width);
  const left = area.x + (area.width - width) / 2;
  let y = area.y + (room - total(width)) / 2;
  return rows.flatMap((row, index) => {
    const height = heights[index]!;
    let x = left;
    const boxes = row.map((shape) => {
      const box = { x, y, width: shape * height, height };
      x += box.width + gap;
      return box;
    });
    y += height + gap;
    return boxes;
  });
}
