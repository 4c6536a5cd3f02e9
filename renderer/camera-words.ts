/**
 * Reads a camera move with its direction from an English prompt, wherever the direction stands:
 * "the camera slowly pans to the left", "pan from left to right", "zooming in". Fixed phrases and
 * other languages are in the word tables.
 */
import type { CameraMove } from './camera.ts';

type Direction = 'left' | 'right' | 'up' | 'down' | 'in' | 'out';
type Move = Pick<CameraMove, 'kind' | 'direction'>;

const directions: Readonly<Record<string, Direction>> = {
  ...{ left: 'left', leftward: 'left', leftwards: 'left' },
  ...{ right: 'right', rightward: 'right', rightwards: 'right' },
  ...{ up: 'up', upward: 'up', upwards: 'up', down: 'down', downward: 'down', downwards: 'down' },
  ...{ in: 'in', into: 'in', inward: 'in', inwards: 'in', forward: 'in', forwards: 'in' },
  ...{ closer: 'in', toward: 'in', towards: 'in' },
  ...{ out: 'out', back: 'out', backward: 'out', backwards: 'out', away: 'out', outward: 'out' },
};

const sideways: Partial<Record<Direction, Move>> = {
  left: { kind: 'pan', direction: -1 },
  right: { kind: 'pan', direction: 1 },
};
const upright: Partial<Record<Direction, Move>> = {
  up: { kind: 'tilt', direction: 1 },
  down: { kind: 'tilt', direction: -1 },
};
const along: Partial<Record<Direction, Move>> = {
  in: { kind: 'dolly', direction: 1 },
  out: { kind: 'dolly', direction: -1 },
};
const zoom: Partial<Record<Direction, Move>> = {
  in: { kind: 'zoom', direction: 1 },
  out: { kind: 'zoom', direction: -1 },
};

/** Each verb with the directions in which it moves a camera. */
const verbs: readonly (readonly [RegExp, Partial<Record<Direction, Move>>])[] = [
  [/^pan(s|ned|ning)?$/, { ...sideways, ...upright }],
  [/^tilt(s|ed|ing)?$/, upright],
  [/^zoom(s|ed|ing)?$/, zoom],
  [/^doll(y|ies|ied|ying)$/, { ...along, ...sideways }],
  [/^(crane|cranes|craning|boom|booms|pedestal|jib)$/, upright],
];

/** Verbs that anything may do, and which count only for a camera or a shot. */
const commonVerbs: readonly (readonly [RegExp, Partial<Record<Direction, Move>>])[] = [
  [
    /^(track|truck|slide|glide|sweep|move|drift|float|travel|swing)(s|es|ing)?$/,
    {
      ...{ ...sideways, ...upright, ...along },
    },
  ],
  [/^(gliding|sliding|moving)$/, { ...sideways, ...upright, ...along }],
  [/^(push|pushes|pushing|pull|pulls|pulling|fly|flies|flying)$/, { ...along, ...upright }],
  [/^(rise|rises|rising|lift|lifts|descend|descends|lower|lowers)$/, upright],
];
const cameraWords = new Set(['camera', 'shot', 'drone', 'lens', 'view']);
/** Words between a verb and its direction, as in "pans very slowly to the left". */
const gapMax = 4;

/** Null if no verb of the camera has a direction. The first one counts. */
export function spokenMove(
  list: readonly string[],
  isNegated: (at: number) => boolean,
): Move | null {
  for (const [at, word] of list.entries()) {
    const moves =
      verbs.find(([verb]) => verb.test(word))?.[1] ??
      (list.slice(Math.max(0, at - 3), at).some((before) => cameraWords.has(before))
        ? commonVerbs.find(([verb]) => verb.test(word))?.[1]
        : undefined);
    if (!moves || isNegated(at)) continue;
    for (let next = at + 1; next <= at + 1 + gapMax && next < list.length; next += 1) {
      const direction = Object.hasOwn(directions, list[next]!) ? directions[list[next]!]! : null;
      // "From left to right" ends at the right.
      const move = direction && list[next - 1] !== 'from' ? moves[direction] : undefined;
      if (move) return move;
    }
  }
  return null;
}
