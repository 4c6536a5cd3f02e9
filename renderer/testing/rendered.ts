/** Runs the renderer as the server does, for tests: a job file, a process, report lines. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sampleGeneration as anyGeneration } from '../../proof/kit/conformance-fixture.ts';
import type {
  CheckReport,
  EncoderName,
  JobLimits,
  JobMaterial,
  RenderJob,
  Report,
} from '../render-job.ts';
import type { Size } from '../size.ts';

const renderer = fileURLToPath(new URL('../render.ts', import.meta.url));

/** A short clip at the smallest size; tests change what they need. */
const sampleGeneration = (change: Partial<Generation> = {}): Generation =>
  anyGeneration({
    model: 'vidgen-2-0-mini',
    prompt: 'A lighthouse on misty cliffs at sunrise',
    duration: 4,
    resolution: '480p',
    generateAudio: false,
    seed: 7,
    ...change,
  });

const limitsOf = ({ model }: Pick<Generation, 'model'>): JobLimits =>
  model === 'vidgen-2-5'
    ? { combinedSecondsMax: 30, extendsVideos: true }
    : { combinedSecondsMax: 15, extendsVideos: false };

/** A job of references, unless `change` has another type. */
export function jobOf(
  materials: readonly JobMaterial[],
  change: Partial<Generation> = {},
): RenderJob {
  const generation = sampleGeneration({
    model: 'vidgen-2-5',
    generationType: 'reference-to-video',
    aspectRatio: 'adaptive',
    ...change,
  });
  const limits = limitsOf(generation);
  return { generation, materials, seed: 1, limits, out: { video: '', lastFrame: null } };
}

type Rendered = {
  readonly video: string;
  readonly lastFrame: string;
  readonly reports: readonly Report[];
  readonly code: number | null;
};

export async function renderIn(
  folder: string,
  order: {
    readonly name: string;
    readonly generation: Partial<Generation>;
    readonly materials?: readonly JobMaterial[];
    readonly seed?: number;
    readonly encoder?: EncoderName;
    /** Sent to the process after each report. */
    readonly signals?: readonly NodeJS.Signals[];
  },
): Promise<Rendered> {
  const video = join(folder, `${order.name}.mp4`);
  const lastFrame = join(folder, `${order.name}.jpg`);
  const job = {
    ...jobOf(order.materials ?? [], sampleGeneration(order.generation)),
    seed: order.seed ?? 7,
    out: { video, lastFrame: order.generation.returnLastFrame ? lastFrame : null },
  };
  const jobFile = join(folder, `${order.name}.json`);
  await writeFile(jobFile, JSON.stringify(job));
  const encoder = order.encoder ? [`--encoder=${order.encoder}`] : [];
  const { lines, code } = await runRenderer([jobFile, ...encoder], { signals: order.signals });
  return { video, lastFrame, reports: lines as Report[], code };
}

/** Runs `--check`, optionally as on a platform without native code. */
export async function checkIn(
  folder: string,
  { withoutNative = false } = {},
): Promise<CheckReport> {
  const flags = withoutNative ? withoutNodeAv : [];
  const { lines } = await runRenderer(['--check', folder], { flags });
  assert.equal(lines.length, 1, 'one line');
  return lines[0] as CheckReport;
}

/** Makes imports of node-av fail. */
const withoutNodeAv = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('node-av')) throw new Error('no node-av here');
        return next(specifier, context);
      },
    });
  `)}`,
];

async function runRenderer(
  args: readonly string[],
  {
    flags = [],
    signals = [],
  }: {
    readonly flags?: readonly string[];
    readonly signals?: readonly NodeJS.Signals[] | undefined;
  },
): Promise<{ readonly lines: readonly unknown[]; readonly code: number | null }> {
  const child = spawn(process.execPath, [...flags, renderer, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: unknown[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const signal of signals) child.kill(signal);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { lines, code };
}

export function imageMaterial(index: number, file: string | null): JobMaterial {
  return { kind: 'image', index, file, title: `cdn.example.test/picture-${index}.png` };
}

export async function writeImages(
  folder: string,
  pictures: readonly Canvas[],
): Promise<JobMaterial[]> {
  const materials = pictures.map((_, at) => imageMaterial(at, join(folder, `${at}.png`)));
  for (const { file, index } of materials) {
    await writeFile(file!, pictures[index]!.toBuffer('image/png'));
  }
  return materials;
}

export function landscapeOf({ width, height }: Size): Canvas {
  const context = createCanvas(width, height).getContext('2d', { alpha: false });
  for (let y = 0; y < height; y += 10) {
    context.fillStyle = `hsl(${200 + y} 50% ${30 + (y % 50)}%)`;
    context.fillRect(0, y, width, 10);
  }
  return context.canvas;
}
