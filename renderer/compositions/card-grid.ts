/**
 * References as cards in front of the prompt's scene. Up to six cards, or the ones that the prompt
 * mentions, are enlarged one after the other; more form a grid.
 */
import type { Rect } from '../card-content.ts';
import { type MountedCard, mountCard } from '../card-mount.ts';
import { clamp, settle, smooth } from '../motion.ts';
import { createBackground } from './background.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { justify } from './justified-layout.ts';
import { openReferences, type Reference } from './reference-cards.ts';
import { type SpotlightSlot, spotlightShare, spotlightSlots } from './spotlight.ts';

type GridCard = Reference & {
  readonly home: Rect;
  readonly enlarged: Rect;
  readonly mounted: MountedCard;
  readonly phase: number;
  readonly arrivesAt: number;
  readonly slot: SpotlightSlot | undefined;
};

/** Seconds until the last card starts to arrive, and that each takes. */
const arrivalsSeconds = 1.1;
const arrivalSeconds = 1;
/** How far a card floats around its position, in pixels of a 720p frame. */
const floatPixels = 4.5;

export async function createCardGrid(clip: CompositionContext): Promise<Composition> {
  const { size, palette, unit } = clip.setting;
  const background = createBackground(clip.setting);
  const cards = await openCards(clip);
  const dim = `rgba(${palette.shade.map(Math.round).join()},.34)`;

  return {
    async draw(context, second) {
      background.draw(context, second);
      context.fillStyle = dim;
      context.fillRect(0, 0, size.width, size.height);
      const shares = cards.map(({ slot }) => spotlightShare(slot, second));
      const most = Math.max(0, ...shares);
      const order = cards.map((_, index) => index).sort((a, b) => shares[a]! - shares[b]!);
      for (const index of order) {
        const card = cards[index]!;
        const arrived = settle((second - card.arrivesAt) / arrivalSeconds);
        if (arrived <= 0) continue;
        const share = shares[index]!;
        const box = positionOf(card, { second, arrived, share, recede: most - share });
        await card.mounted.draw(context, box, second, {
          opacity: smooth(arrived, { from: 0, to: 0.55 }),
          ...{ shade: (most - share) * 0.5, elevation: 1 + share * 0.7 },
        });
      }
    },
    captionOpacity: () => 1,
    async close() {
      for (const { content } of cards) await content.close?.();
    },
  };

  /** Cards float slightly while the camera approaches; the ones behind an enlarged card recede. */
  function positionOf(
    { home, enlarged, phase }: GridCard,
    now: { second: number; arrived: number; share: number; recede: number },
  ): Rect {
    const { second, arrived, share, recede } = now;
    const nearer = (1 + 0.035 * clamp(second / clip.lastSecond)) * (1 - 0.05 * recede);
    const between = (from: number, to: number): number => from + (to - from) * share;
    const scale = nearer * (0.82 + 0.18 * arrived);
    const width = between(home.width, enlarged.width) * scale;
    const height = between(home.height, enlarged.height) * scale;
    const [centerX, centerY] = [size.width / 2, size.height * 0.45];
    const x = between(home.x + home.width / 2, enlarged.x + enlarged.width / 2) - centerX;
    const y = between(home.y + home.height / 2, enlarged.y + enlarged.height / 2) - centerY;
    const float = floatPixels * unit;
    const drop = (1 - arrived) * 70 * unit;
    return {
      ...{ width, height },
      x: centerX + x * nearer - width / 2 + Math.sin(second * 0.7 + phase) * float,
      y: centerY + y * nearer - height / 2 + Math.cos(second * 0.8 + phase) * float + drop,
    };
  }
}

async function openCards(clip: CompositionContext): Promise<GridCard[]> {
  const { setting, captionTop, lastSecond } = clip;
  const { size, random, unit } = setting;
  const margin = Math.round(size.width * 0.07);
  // Below the PREVIEW label.
  const top = Math.round(size.width * (size.height > size.width ? 0.07 : 0.05) * 0.75 + 46 * unit);
  const area = {
    ...{ x: margin, y: top, width: size.width - margin * 2 },
    height: Math.max(size.height * 0.3, captionTop - top - 34 * unit),
  };
  const references = await openReferences(clip, area);
  const homes = homesOf(references, area, unit);
  const gap = Math.min(0.2, arrivalsSeconds / references.length);
  const visible = references.flatMap(({ kind }, at) => (kind === 'audio' ? [] : at));
  const mentioned = references
    .flatMap(({ mention }, at) => (mention === null ? [] : { at, mention }))
    .sort((one, other) => one.mention - other.mention)
    .map(({ at }) => at);
  const slots = spotlightSlots(
    visible.length > 2 ? { mentioned, others: visible } : { mentioned: [], others: [] },
    { from: 0.2 + gap * references.length + 0.45, lastSecond },
  );
  return references.map((reference, at) => ({
    ...reference,
    home: homes[at]!,
    enlarged: fitted(reference.content.aspect, area),
    mounted: mountCard(reference.content, unit),
    phase: random() * Math.PI * 2,
    arrivesAt: 0.1 + at * gap,
    slot: slots.find(({ card }) => card === at),
  }));
}

/** Audio cards are smaller and below the others. */
function homesOf(references: readonly Reference[], area: Rect, unit: number): Rect[] {
  const gap = (references.length > 12 ? 14 : 20) * unit;
  const aspectOf = ({ kind, content }: Reference): number =>
    kind === 'audio' ? content.aspect : clamp(content.aspect, 0.56, 2.4);
  const audio = references.filter(({ kind }) => kind === 'audio');
  const visible = references.filter(({ kind }) => kind !== 'audio');
  if (audio.length === 0 || visible.length === 0) {
    const small = audio.length > 0 ? fitted(area.width / area.height, area, 0.72) : area;
    return justify(references.map(aspectOf), small, gap);
  }
  const strip = Math.min(area.height * 0.26, 96 * unit * Math.ceil(audio.length / 4));
  const upper = { ...area, height: area.height - strip - gap };
  const lower = { ...area, y: area.y + area.height - strip, height: strip };
  const audioBoxes = justify(audio.map(aspectOf), lower, gap);
  const visibleBoxes = justify(visible.map(aspectOf), upper, gap);
  return references.map(({ kind }) => (kind === 'audio' ? audioBoxes : visibleBoxes).shift()!);
}

function fitted(aspect: number, area: Rect, share = 1): Rect {
  const height = Math.min(area.height, (area.width * 0.94) / aspect) * share;
  const width = height * aspect;
  const [x, y] = [area.x + (area.width - width) / 2, area.y + (area.height - height) / 2];
  return { x, y, width, height };
}
