/** Leaves and plants on the ground: tree crowns, ferns, grass and litter. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import type { Random } from '../random.ts';
import type { Point } from '../size.ts';

type Leaves = Point & {
  readonly across: number;
  readonly down: number;
  readonly count: number;
  /** Half the length of a leaf in pixels, and its width divided by its length. */
  readonly leaf: number;
  readonly slim: number;
  readonly colors: readonly Color[];
};

export function paintLeaves(context: SKRSContext2D, random: Random, leaves: Leaves): void {
  const { x, y, across, down, leaf, slim } = leaves;
  for (const color of leaves.colors) {
    context.fillStyle = css(color);
    context.beginPath();
    for (let each = 0; each < leaves.count / leaves.colors.length; each += 1) {
      const angle = random() * Math.PI * 2;
      const away = Math.sqrt(random());
      const turn = random() * Math.PI;
      const middleX = x + Math.cos(angle) * across * away;
      const middleY = y + Math.sin(angle) * down * away;
      const long = leaf * (0.6 + random() * 0.7);
      addLeaf(context, { x: middleX, y: middleY, long: long * 2, half: long * slim, turn });
    }
    context.fill();
  }
}

type Leaf = Point & {
  readonly long: number;
  readonly half: number;
  readonly turn: number;
};

/** Adds a leaf to the path, around its middle. */
export function addLeaf(context: SKRSContext2D, { x, y, long, half, turn }: Leaf): void {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [alongX, alongY] = [cos * long * 0.5, sin * long * 0.5];
  const [asideX, asideY] = [-sin * half, cos * half];
  context.moveTo(x - alongX, y - alongY);
  context.quadraticCurveTo(x + asideX, y + asideY, x + alongX, y + alongY);
  context.quadraticCurveTo(x - asideX, y - asideY, x - alongX, y - alongY);
}

export function paintLitter(
  context: SKRSContext2D,
  random: Random,
  litter: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
    readonly count: number;
    readonly size: number;
    readonly colors: readonly Color[];
    readonly alpha: number;
  },
): void {
  for (const color of litter.colors) {
    context.fillStyle = css(color, litter.alpha);
    context.beginPath();
    for (let each = 0; each < litter.count / litter.colors.length; each += 1) {
      const near = random();
      const x = litter.left + random() * (litter.right - litter.left);
      const y = litter.top + near * (litter.bottom - litter.top);
      const wide = litter.size * (0.4 + near * 0.8) * (0.5 + random());
      context.moveTo(x + wide, y);
      context.ellipse(x, y, wide, wide * 0.32, (random() - 0.5) * 0.6, 0, Math.PI * 2);
    }
    context.fill();
  }
}

type Fern = Point & {
  readonly height: number;
  readonly color: Color;
};

export function paintFern(context: SKRSContext2D, random: Random, fern: Fern): void {
  const { x, y, height } = fern;
  context.fillStyle = css(fern.color);
  context.beginPath();
  const fronds = 7;
  for (let frond = 0; frond < fronds; frond += 1) {
    const lean = (frond / (fronds - 1) - 0.5) * 2.3 + (random() - 0.5) * 0.2;
    const long = height * (1 - Math.abs(lean) * 0.22) * (0.8 + random() * 0.3);
    const at = (share: number) => ({
      x: x + Math.sin(lean * (0.5 + share * 0.75)) * long * share,
      y: y - Math.cos(lean * (0.5 + share * 0.75)) * long * share,
    });
    for (let leaflet = 1; leaflet < 16; leaflet += 1) {
      const share = leaflet / 16;
      const [stem, next] = [at(share), at(share + 0.03)];
      const angle = Math.atan2(next.y - stem.y, next.x - stem.x);
      const wide = height * 0.16 * (1 - share) ** 0.7 * Math.min(1, share * 6);
      for (const side of [-1, 1]) {
        const turn = angle + side * 1.15;
        const [dx, dy] = [Math.cos(turn) * wide, Math.sin(turn) * wide];
        context.moveTo(stem.x, stem.y);
        context.lineTo(stem.x + dx * 0.5 + dy * 0.13, stem.y + dy * 0.5 - dx * 0.13);
        context.lineTo(stem.x + dx, stem.y + dy);
        context.lineTo(stem.x + dx * 0.5 - dy * 0.13, stem.y + dy * 0.5 + dx * 0.13);
      }
    }
  }
  context.fill();
}

type Grass = {
  readonly left: number;
  readonly right: number;
  groundAt(x: number): number;
  readonly height: number;
  readonly step: number;
  readonly color: Color;
};

export function paintGrass(context: SKRSContext2D, random: Random, grass: Grass): void {
  context.fillStyle = css(grass.color);
  context.beginPath();
  for (let { left: x } = grass; x < grass.right; x += grass.step * (0.5 + random())) {
    const y = grass.groundAt(x) + 2;
    const tall = grass.height * (0.35 + random() ** 2 * 0.9);
    const lean = (random() - 0.5) * tall * 0.8;
    const half = Math.max(0.6, grass.step * 0.18);
    context.moveTo(x - half, y);
    context.quadraticCurveTo(x + lean * 0.2, y - tall * 0.6, x + lean, y - tall);
    context.quadraticCurveTo(x + lean * 0.3 + half, y - tall * 0.5, x + half, y);
  }
  context.fill();
}
