/** Reference to video: every reference is shown on a card in front of the prompt's scene. */
import { type MountedCard, mountCard, type Rect } from '../card-mount.ts';
import { clamp, settle, smooth } from '../motion.ts';
import { createBackground } from './background.ts';
import type { Composition, CompositionContext } from './composition.ts';
import { gridOf } from './grid-layout.ts';
import { openReferences, type Reference } from './reference-cards.ts';

type GridCard = Reference & {
  readonly home: Rect;
  readonly mounted: MountedCard;
  readonly phase: number;
  readonly arrivesAt: number;
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
      for (const card of cards) {
        const arrived = settle((second - card.arrivesAt) / arrivalSeconds);
        if (arrived <= 0) continue;
        const box = positionOf(card, second, arrived);
        const opacity = smooth(arrived, { from: 0, to: 0.55 });
        await card.mounted.draw(context, box, second, opacity);
      }
    },
    captionOpacity: () => 1,
    async close() {
      for (const { content } of cards) await content.close?.();
    },
  };

  /** Cards float slightly while the camera approaches. */
  function positionOf({ home, phase }: GridCard, second: number, arrived: number): Rect {
    const nearer = 1 + 0.035 * clamp(second / clip.lastSecond);
    const scale = nearer * (0.82 + 0.18 * arrived);
    const [width, height] = [home.width * scale, home.height * scale];
    const [centerX, centerY] = [size.width / 2, size.height * 0.45];
    const [x, y] = [home.x + home.width / 2 - centerX, home.y + home.height / 2 - centerY];
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
  const { setting, captionTop } = clip;
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
  return references.map((reference, at) => ({
    ...reference,
    home: homes[at]!,
    mounted: mountCard(reference.content, unit),
    phase: random() * Math.PI * 2,
    arrivesAt: 0.1 + at * gap,
  }));
}

/** Audio cards are smaller and below the others. */
function homesOf(references: readonly Reference[], area: Rect, unit: number): Rect[] {
  const gap = (references.length > 12 ? 14 : 20) * unit;
  const aspectOf = ({ kind, content }: Reference): number =>
    kind === 'audio' ? content.aspect : clamp(content.aspect, 0.56, 2.4);
  const audio = references.filter(({ kind }) => kind === 'audio');
  const visible = references.filter(({ kind }) => kind !== 'audio');
  const share = visible.length === 0 ? 1 : 0.26;
  const most = audio.length === 0 ? 0 : 96 * unit * Math.ceil(audio.length / 4);
  const strip = Math.min(area.height * share, most);
  const upper = { ...area, height: area.height - (strip > 0 ? strip + gap : 0) };
  const y =
    visible.length === 0 ? area.y + (area.height - strip) / 2 : area.y + area.height - strip;
  const audioBoxes = gridOf(audio.map(aspectOf), { ...area, y, height: strip }, gap);
  const visibleBoxes = gridOf(visible.map(aspectOf), upper, gap);
  return references.map(({ kind }) => (kind === 'audio' ? audioBoxes : visibleBoxes).shift()!);
}
