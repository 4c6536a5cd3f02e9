/**
 * References as cards before the prompt's scene: a few come forward in turn, many hang as a wall.
 * Those the prompt names are looked at in the order it names them.
 */
import type { Box } from '../card-content.ts';
import { type Mount, mountCard } from '../card-mount.ts';
import { clamp, settle, smooth } from '../motion.ts';
import { createBackground } from './background.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { arrange } from './justified-layout.ts';
import { openReferences, type Reference } from './reference-cards.ts';
import { type SpotlightTurn, stageShare, turnsFor } from './spotlight-order.ts';

type Card = Reference & {
  /** Where it hangs, and where it is looked at. */
  readonly home: Box;
  readonly stage: Box;
  readonly mount: Mount;
  readonly phase: number;
  readonly arrivesAt: number;
  readonly turn: SpotlightTurn | undefined;
};

/** More than these are a wall. */
const wallMin = 6;
/** How long it takes until the last card has begun to come in, and each to be there. */
const arrivalsSeconds = 1.1;
const arrivalSeconds = 1;
/** How far the cards at the sides are turned towards the middle, in radians. */
const sideTurn = 0.26;
/** How far a card floats about its place, in pixels of a 720p frame. */
const floatPixels = 4.5;

export async function createWall(stage: CompositionContext): Promise<Composition> {
  const { size, palette, unit } = stage.setting;
  const background = createBackground(stage.setting);
  const cards = await cardsOf(stage);
  const dim = `rgba(${palette.shade.map(Math.round).join()},.34)`;

  return {
    async draw(context, second) {
      background.draw(context, second);
      context.fillStyle = dim;
      context.fillRect(0, 0, size.width, size.height);
      const shares = cards.map(({ turn }) => stageShare(turn, second));
      const most = Math.max(0, ...shares);
      const order = cards.map((_, index) => index).sort((a, b) => shares[a]! - shares[b]!);
      for (const index of order) {
        const card = cards[index]!;
        const arrived = settle((second - card.arrivesAt) / arrivalSeconds);
        if (arrived <= 0) continue;
        const staged = shares[index]!;
        const box = placeOf(card, { second, arrived, staged, behind: most - staged });
        const aside = (box.x + box.width / 2) / size.width - 0.5;
        const sway = Math.sin(second * 0.55 + card.phase) * 0.035;
        const turn = (-aside * 2 * sideTurn + sway) * (1 - staged) + (1 - arrived) * 0.7;
        await card.mount.draw(context, box, second, {
          ...{ turn, opacity: smooth(arrived, { from: 0, to: 0.55 }) },
          ...{ shade: shadeOf(box, second, most - staged), height: 1 + staged * 0.7 },
        });
      }
    },
    presence: () => 1,
    async close() {
      for (const { face } of cards) await face.close?.();
    },
  };

  /** What is not looked at stands in the dark; over a wall of many, light and shade pass. */
  function shadeOf(box: Box, second: number, behind: number): number {
    const passed = second / 3.6 - box.x / size.width - (0.35 * box.y) / size.height;
    const passing = cards.length > wallMin ? 0.13 - 0.13 * Math.cos(passed * 2 * Math.PI) : 0;
    return Math.max(behind * 0.5, passing);
  }

  /** It floats a little; the camera comes slowly nearer; what is not looked at stands back. */
  function placeOf(
    { home, stage: front, phase }: Card,
    now: { second: number; arrived: number; staged: number; behind: number },
  ): Box {
    const { second, arrived, staged, behind } = now;
    const nearer = (1 + 0.035 * clamp(second / stage.lastSecond)) * (1 - 0.05 * behind);
    const between = (from: number, to: number): number => from + (to - from) * staged;
    const middle = {
      x: between(home.x + home.width / 2, front.x + front.width / 2),
      y: between(home.y + home.height / 2, front.y + front.height / 2),
    };
    const eye = { x: size.width / 2, y: size.height * 0.45 };
    const floating = { x: Math.sin(second * 0.7 + phase), y: Math.cos(second * 0.8 + phase) };
    const scale = nearer * (0.82 + 0.18 * arrived);
    const width = between(home.width, front.width) * scale;
    const height = between(home.height, front.height) * scale;
    const fall = (1 - arrived) * 70 * unit;
    return {
      ...{ width, height },
      x: eye.x + (middle.x - eye.x) * nearer - width / 2 + floating.x * floatPixels * unit,
      y: eye.y + (middle.y - eye.y) * nearer - height / 2 + floating.y * floatPixels * unit + fall,
    };
  }
}

async function cardsOf(stage: CompositionContext): Promise<Card[]> {
  const { setting, captionTop, lastSecond } = stage;
  const { size, random, unit } = setting;
  const margin = Math.round(size.width * 0.07);
  // Below the label that says what this is.
  const top = Math.round(size.width * (size.height > size.width ? 0.07 : 0.05) * 0.75 + 46 * unit);
  const area = {
    ...{ x: margin, y: top, width: size.width - margin * 2 },
    height: Math.max(size.height * 0.3, captionTop - top - 34 * unit),
  };
  const references = await openReferences(stage, area);
  const homes = homesOf(references, area, unit);
  const gap = Math.min(0.2, arrivalsSeconds / references.length);
  const seen = references.flatMap(({ kind }, at) => (kind === 'audio' ? [] : at));
  const named = references
    .flatMap(({ namedAs }, at) => (namedAs === null ? [] : { at, namedAs }))
    .sort((one, other) => one.namedAs - other.namedAs)
    .map(({ at }) => at);
  const turns = turnsFor(
    { named: seen.length > 2 ? named : [], others: seen.length > 2 ? seen : [] },
    { from: 0.2 + gap * references.length + 0.45, lastSecond },
  );
  return references.map((reference, at) => ({
    ...reference,
    home: homes[at]!,
    stage: fitted(reference.face.shape, area),
    mount: mountCard(reference.face, unit),
    phase: random() * Math.PI * 2,
    arrivesAt: 0.1 + at * gap,
    turn: turns.find(({ card }) => card === at),
  }));
}

/** What is heard hangs below what is seen, and takes less room. */
function homesOf(references: readonly Reference[], area: Box, unit: number): Box[] {
  const gap = (references.length > 12 ? 14 : 20) * unit;
  const shapeOf = ({ kind, face }: Reference): number =>
    kind === 'audio' ? face.shape : clamp(face.shape, 0.56, 2.4);
  const heard = references.filter(({ kind }) => kind === 'audio');
  const seen = references.filter(({ kind }) => kind !== 'audio');
  if (heard.length === 0 || seen.length === 0) {
    const small = heard.length > 0 ? shrunk(area, 0.72) : area;
    return arrange(references.map(shapeOf), small, gap);
  }
  const strip = Math.min(area.height * 0.26, 96 * unit * Math.ceil(heard.length / 4));
  const upper = { ...area, height: area.height - strip - gap };
  const lower = { ...area, y: area.y + area.height - strip, height: strip };
  const places = {
    seen: arrange(seen.map(shapeOf), upper, gap),
    heard: arrange(
      heard.map(({ face }) => face.shape),
      lower,
      gap,
    ),
  };
  return references.map(({ kind }) => (kind === 'audio' ? places.heard : places.seen).shift()!);
}

function shrunk(area: Box, share: number): Box {
  const [width, height] = [area.width * share, area.height * share];
  const [x, y] = [area.x + (area.width - width) / 2, area.y + (area.height - height) / 2];
  return { x, y, width, height };
}

/** As large as it can be seen whole, in the middle of the area. */
function fitted(shape: number, area: Box): Box {
  const height = Math.min(area.height, (area.width * 0.94) / shape);
  const width = height * shape;
  const [x, y] = [area.x + (area.width - width) / 2, area.y + (area.height - height) / 2];
  return { x, y, width, height };
}
