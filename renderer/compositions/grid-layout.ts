/** A grid of cards of any aspect ratio, each as large as its cell allows. */
import type { Rect } from '../card-mount.ts';

export function gridOf(aspects: readonly number[], area: Rect, gap: number): Rect[] {
  let best: Rect[] = [];
  let most = 0;
  for (let columns = 1; columns <= aspects.length; columns += 1) {
    const boxes = placed(aspects, columns, { area, gap });
    const covered = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    if (covered > most) [best, most] = [boxes, covered];
  }
  return best;
}

/** In cells of equal size; the last row is centered. */
function placed(
  aspects: readonly number[],
  columns: number,
  { area, gap }: { readonly area: Rect; readonly gap: number },
): Rect[] {
  const rows = Math.ceil(aspects.length / columns);
  const wide = (area.width - gap * (columns - 1)) / columns;
  const high = (area.height - gap * (rows - 1)) / rows;
  return aspects.map((aspect, at) => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, aspects.length - row * columns);
    const left = area.x + ((columns - inRow) / 2) * (wide + gap) + (at % columns) * (wide + gap);
    const width = Math.max(0, Math.min(wide, high * aspect));
    const height = width / aspect;
    const y = area.y + row * (high + gap) + (high - height) / 2;
    return { x: left + (wide - width) / 2, y, width, height };
  });
}
