/** A deer as a silhouette with a rim of light. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';

type Deer = {
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly color: Color;
  readonly rim: Color;
};

/** Points as x and y in turn, in heights of the deer, which looks to the right. */
type Outline = readonly number[];

const stag: readonly Outline[] = [
  [
    -0.46, 0.66, -0.3, 0.7, -0.05, 0.68, 0.18, 0.73, 0.3, 0.86, 0.38, 0.99, 0.31, 1.06, 0.35, 1.09,
    0.43, 1.04, 0.52, 1.02, 0.69, 0.93, 0.71, 0.88, 0.6, 0.86, 0.49, 0.83, 0.4, 0.64, 0.33, 0.5,
    0.31, 0.3, 0.33, 0, 0.27, 0, 0.25, 0.28, 0.2, 0.44, -0.05, 0.42, -0.22, 0.46, -0.28, 0.34,
    -0.35, 0.24, -0.31, 0, -0.37, 0, -0.42, 0.23, -0.44, 0.4, -0.51, 0.56,
  ],
  [0.12, 0.46, 0.15, 0.22, 0.12, 0, 0.17, 0, 0.2, 0.24, 0.24, 0.46],
  [-0.18, 0.48, -0.24, 0.26, -0.19, 0, -0.24, 0, -0.3, 0.24, -0.32, 0.46],
];
const antlers: readonly Outline[] = [
  [0.43, 1.03, 0.33, 1.16, 0.36, 1.32, 0.46, 1.42],
  [0.34, 1.2, 0.24, 1.3],
  [0.36, 1.3, 0.28, 1.42],
  [0.36, 1.12, 0.46, 1.18, 0.5, 1.26],
  [0.47, 1.03, 0.47, 1.18, 0.56, 1.3, 0.64, 1.36],
  [0.5, 1.22, 0.47, 1.34],
];

export function paintDeer(context: SKRSContext2D, deer: Deer): void {
  const { height } = deer;
  const draw = (color: Color, off: number): void => {
    context.save();
    context.translate(deer.x - off, deer.y - off * 0.6);
    context.scale(-height, -height);
    context.fillStyle = css(color);
    context.strokeStyle = css(color);
    for (const outline of stag) fillSmooth(context, outline);
    strokeAll(context, antlers);
    context.restore();
  };
  draw(deer.rim, height * 0.012);
  draw(deer.color, 0);
}

/** Curves through the midpoints between neighbors, so that the outline has no corners. */
function fillSmooth(context: SKRSContext2D, outline: Outline): void {
  const count = outline.length / 2;
  const point = (at: number): [number, number] => [
    outline[(at % count) * 2]!,
    outline[(at % count) * 2 + 1]!,
  ];
  const middle = (at: number): [number, number] => {
    const [one, other] = [point(at), point(at + 1)];
    return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
  };
  context.beginPath();
  context.moveTo(...middle(0));
  for (let at = 1; at <= count; at += 1) context.quadraticCurveTo(...point(at), ...middle(at));
  context.fill();
}

function strokeAll(context: SKRSContext2D, lines: readonly Outline[]): void {
  context.lineWidth = 0.022;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
  for (const line of lines) {
    context.moveTo(line[0]!, line[1]!);
    for (let at = 2; at < line.length; at += 2) context.lineTo(line[at]!, line[at + 1]!);
  }
  context.stroke();
}
