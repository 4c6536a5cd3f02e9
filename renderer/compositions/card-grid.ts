/** Reference to video: every reference is shown on a card in front of the prompt's scene. */
import { createCanvas } from '@napi-rs/canvas';
import { openMaterialCard } from '../card.ts';
import { type CardContent, type MountedCard, mountCard } from '../card-mount.ts';
import { clamp, settle, smooth } from '../motion.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import { createScene, drawnSize, resized } from '../scenes/choose.ts';
import type { Scene, SceneContext } from '../scenes/scene.ts';
import type { Rect, Size } from '../size.ts';
import { openAudioFile } from '../sound/audio-file.ts';
import { namingMaterial } from '../unusable.ts';
import type { Composition, CompositionContext } from './composition.ts';

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
      background(context, second);
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
      width,
      height,
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
    x: margin,
    y: top,
    width: size.width - margin * 2,
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

function createBackground(setting: SceneContext): Scene {
  const { width, height } = drawnSize(setting.size);
  const size = { width: Math.round(width / 2), height: Math.round(height / 2) };
  const scene = createScene(resized(setting, size));
  const smallContext = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  return (context, second) => {
    scene(smallContext, second);
    context.drawImage(smallContext.canvas, 0, 0, setting.size.width, setting.size.height);
  };
}

function gridOf(aspects: readonly number[], area: Rect, gap: number): Rect[] {
  let best: Rect[] = [];
  let most = 0;
  for (let columns = 1; columns <= aspects.length; columns += 1) {
    const boxes = placed(aspects, columns, { area, gap });
    const covered = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    if (covered > most) [best, most] = [boxes, covered];
  }
  return best;
}

/** In cells of equal size; the last row is centered. */
function placed(
  aspects: readonly number[],
  columns: number,
  { area, gap }: { readonly area: Rect; readonly gap: number },
): Rect[] {
  const rows = Math.ceil(aspects.length / columns);
  const wide = (area.width - gap * (columns - 1)) / columns;
  const high = (area.height - gap * (rows - 1)) / rows;
  return aspects.map((aspect, at) => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, aspects.length - row * columns);
    const left = area.x + ((columns - inRow) / 2) * (wide + gap) + (at % columns) * (wide + gap);
    const width = Math.max(0, Math.min(wide, high * aspect));
    const height = width / aspect;
    const y = area.y + row * (high + gap) + (high - height) / 2;
    return { x: left + (wide - width) / 2, y, width, height };
  });
}

type Reference = {
  readonly kind: MaterialKind;
  readonly content: CardContent;
};

/** Images are reduced to the size they are shown at, since thirty large ones exceed the memory. */
async function openReferences(clip: CompositionContext, area: Size): Promise<Reference[]> {
  const { materials } = clip.job;
  const { palette } = clip.setting;
  const { videos } = clip.plan;
  const visible = materials.filter(({ kind }) => kind !== 'audio').length;
  const longest = Math.max(area.width, area.height);
  const longestSide = Math.min(longest, (longest / Math.sqrt(Math.max(1, visible))) * 1.5);
  const references: Reference[] = [];
  for (const material of materials) {
    const content = await openMaterialCard(material, { palette, longestSide, videos });
    await checkAudio(material);
    references.push({ kind: material.kind, content });
  }
  return references;
}

/** A file that is not audio fails the task, even if the clip is silent. */
async function checkAudio(material: JobMaterial): Promise<void> {
  const { kind, file } = material;
  if (kind !== 'audio' || file === null) return;
  const audio = await namingMaterial(material, () => openAudioFile(file, { secondsMax: 1 }));
  await audio?.close();
}
