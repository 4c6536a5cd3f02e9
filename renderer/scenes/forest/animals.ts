/** Animals of the wood as silhouettes with a rim of light: a stag, a fox. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';

export type Animal = {
  /** Between its feet. */
  readonly x: number;
  readonly y: number;
  /** To the crown of its head, in pixels. */
  readonly height: number;
  readonly color: Color;
  readonly rim: Color;
  /** Which way it looks. */
  readonly way: 1 | -1;
};

type Outline = readonly (readonly [x: number, y: number])[];

/** All in heights of the animal, looking right. */
const stag: readonly Outline[] = [
  [
    ...([
      [-0.46, 0.66],
      [-0.3, 0.7],
      [-0.05, 0.68],
      [0.18, 0.73],
      [0.3, 0.86],
      [0.38, 0.99],
    ] as const),
    ...([
      [0.31, 1.06],
      [0.35, 1.09],
      [0.43, 1.04],
      [0.52, 1.02],
      [0.69, 0.93],
      [0.71, 0.88],
    ] as const),
    ...([
      [0.6, 0.86],
      [0.49, 0.83],
      [0.4, 0.64],
      [0.33, 0.5],
      [0.31, 0.3],
      [0.33, 0],
    ] as const),
    ...([
      [0.27, 0],
      [0.25, 0.28],
      [0.2, 0.44],
      [-0.05, 0.42],
      [-0.22, 0.46],
      [-0.28, 0.34],
    ] as const),
    ...([
      [-0.35, 0.24],
      [-0.31, 0],
      [-0.37, 0],
      [-0.42, 0.23],
      [-0.44, 0.4],
      [-0.51, 0.56],
    ] as const),
  ],
  [
    [0.12, 0.46],
    [0.15, 0.22],
    [0.12, 0],
    [0.17, 0],
    [0.2, 0.24],
    [0.24, 0.46],
  ],
  [
    [-0.18, 0.48],
    [-0.24, 0.26],
    [-0.19, 0],
    [-0.24, 0],
    [-0.3, 0.24],
    [-0.32, 0.46],
  ],
];
const antlers: readonly Outline[] = [
  [
    [0.43, 1.03],
    [0.33, 1.16],
    [0.36, 1.32],
    [0.46, 1.42],
  ],
  [
    [0.34, 1.2],
    [0.24, 1.3],
  ],
  [
    [0.36, 1.3],
    [0.28, 1.42],
  ],
  [
    [0.36, 1.12],
    [0.46, 1.18],
    [0.5, 1.26],
  ],
  [
    [0.47, 1.03],
    [0.47, 1.18],
    [0.56, 1.3],
    [0.64, 1.36],
  ],
  [
    [0.5, 1.22],
    [0.47, 1.34],
  ],
];
const fox: readonly Outline[] = [
  [
    ...([
      [-0.5, 0.62],
      [-0.2, 0.66],
      [0.2, 0.68],
      [0.42, 0.8],
      [0.5, 1.02],
      [0.6, 0.86],
    ] as const),
    ...([
      [0.7, 1],
      [0.72, 0.82],
      [0.98, 0.62],
      [0.96, 0.58],
      [0.74, 0.58],
      [0.52, 0.5],
    ] as const),
    ...([
      [0.42, 0.38],
      [0.42, 0],
      [0.34, 0],
      [0.3, 0.32],
      [-0.1, 0.36],
      [-0.34, 0.34],
    ] as const),
    ...([
      [-0.44, 0.18],
      [-0.4, 0],
      [-0.5, 0],
      [-0.56, 0.2],
      [-0.56, 0.38],
      [-0.86, 0.2],
    ] as const),
    ...([
      [-1.3, 0.14],
      [-1.52, 0.26],
      [-1.2, 0.42],
      [-0.8, 0.5],
    ] as const),
  ],
  [
    [0.2, 0.36],
    [0.22, 0],
    [0.28, 0],
    [0.32, 0.36],
  ],
  [
    [-0.28, 0.36],
    [-0.26, 0],
    [-0.34, 0],
    [-0.4, 0.36],
  ],
];

const shapes: readonly (readonly [RegExp, { outlines: readonly Outline[]; tall: number }])[] = [
  [/\b(deer|stag|elk|moose|doe|fawn|reindeer)/, { outlines: stag, tall: 1 }],
  [/\b(fox|wolf|wolves|coyote)/, { outlines: fox, tall: 0.5 }],
];

/** The animal that the words name; nothing for none. */
export function paintAnimal(
  context: SKRSContext2D,
  mentions: (pattern: RegExp) => boolean,
  animal: Animal,
): void {
  const found = shapes.find(([pattern]) => mentions(pattern))?.[1];
  if (!found) return;
  const { x, y, way } = animal;
  const height = animal.height * found.tall;
  const draw = (color: Color, off: number): void => {
    context.save();
    context.translate(x + off, y - Math.abs(off) * 0.6);
    context.scale(way * height, -height);
    context.fillStyle = css(color);
    context.strokeStyle = css(color);
    for (const outline of found.outlines) fillSmooth(context, outline);
    if (found.outlines === stag) strokeAll(context, antlers);
    context.restore();
  };
  // The light behind it shows as a thin edge on one side.
  draw(animal.rim, height * 0.012 * way);
  draw(animal.color, 0);
}

/** Through the middles of the points, so that it has no corners. */
function fillSmooth(context: SKRSContext2D, outline: Outline): void {
  const middle = (at: number): readonly [number, number] => {
    const [one, other] = [outline[at % outline.length]!, outline[(at + 1) % outline.length]!];
    return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
  };
  context.beginPath();
  context.moveTo(...middle(0));
  for (let at = 1; at <= outline.length; at += 1) {
    const [x, y] = outline[at % outline.length]!;
    context.quadraticCurveTo(x, y, ...middle(at));
  }
  context.fill();
}

function strokeAll(context: SKRSContext2D, lines: readonly Outline[]): void {
  context.lineWidth = 0.022;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
  for (const line of lines) {
    for (const [index, [x, y]] of line.entries()) {
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  }
  context.stroke();
}
