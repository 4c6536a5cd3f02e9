/** How values move: held within bounds, easing in and out, coming to rest. */

export const clamp = (value: number, least = 0, most = 1): number =>
  Math.min(most, Math.max(least, value));

/** Rises smoothly from 0 to 1 while the value goes from one edge to the other, in either order. */
export function smooth(value: number, edges: { from: number; to: number }): number {
  const share = clamp((value - edges.from) / (edges.to - edges.from));
  return share * share * (3 - 2 * share);
}

/** Fast first, then slower: how things come to rest. */
export const settle = (share: number): number => 1 - (1 - clamp(share)) ** 3;

/** The place of a value that leaves on one side and comes back on the other, from 0 to 1. */
export const wrap = (value: number): number => value - Math.floor(value);
