/** Clamping, easing and wrapping of values. */

export const clamp = (value: number, least = 0, most = 1): number =>
  Math.min(most, Math.max(least, value));

/** Rises smoothly from 0 to 1 between the edges, which may be in either order. */
export function smooth(value: number, edges: { from: number; to: number }): number {
  const share = clamp((value - edges.from) / (edges.to - edges.from));
  return share * share * (3 - 2 * share);
}

/** Ease-out: fast at first, then slower. */
export const settle = (share: number): number => 1 - (1 - clamp(share)) ** 3;

/** The fractional part, from 0 to 1: a value that leaves one side enters at the other. */
export const wrap = (value: number): number => value - Math.floor(value);
