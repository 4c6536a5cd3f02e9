/** The known name that a typo most likely stands for. */

/** `imageUrls`, `image-urls` and `Image_URLs` all mean `image_urls`. */
const normalize = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const lastSegment = (path: string): string => normalize(path.slice(path.lastIndexOf('.') + 1));

/** No known name is longer; comparing a longer one would only cost time. */
const lettersMax = 40;

/**
 * Returns the nearest candidate, or null if none is near enough. Candidates are paths whose last
 * part is compared; of two equally near ones the first wins.
 */
export function suggestName(name: string, candidates: readonly string[]): string | null {
  const wanted = normalize(name.slice(0, 2 * lettersMax));
  if (wanted === '' || wanted.length > lettersMax) return null;
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance({ from: wanted, to: lastSegment(candidate) });
    if (distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return (
    nearest ?? candidates.find((candidate) => isStartOf(wanted, lastSegment(candidate))) ?? null
  );
}

/** `image` for `image_urls`, but not `prompt` for `negative_prompt`. Short words match too much. */
function isStartOf(...names: readonly [string, string]): boolean {
  const [shorter, longer] = names.toSorted((one, other) => one.length - other.length);
  return shorter!.length >= 4 && longer!.startsWith(shorter!);
}

/** Counts letters added, removed, changed, or swapped with a neighbor. */
function editDistance(pair: { readonly from: string; readonly to: string }): number {
  const { from, to } = pair;
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    const above = rows[row - 1]!;
    for (let column = 1; column <= to.length; column++) {
      const changed = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swapped =
        from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (rows[row - 2]?.[column - 2] ?? Number.POSITIVE_INFINITY) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, changed, swapped));
    }
    rows.push(current);
  }
  return rows[from.length]![to.length]!;
}
