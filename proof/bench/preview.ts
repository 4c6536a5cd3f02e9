/**
 * The cost of a preview: processor seconds per second of video for the whole renderer, against
 * FFmpeg encoding the same frames.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCanvas } from '@napi-rs/canvas';
import type { Resolution } from '@vidgen/contract/models.ts';
import { createPicture } from '../../renderer/picture.ts';
import { framesPerSecond, type RenderJob } from '../../renderer/render-job.ts';
import type { Size } from '../../renderer/size.ts';
import { sampleGeneration } from '../../renderer/testing/rendered.ts';

const renderer = fileURLToPath(new URL('../../renderer/render.ts', import.meta.url));
const baselineEncoder = fileURLToPath(new URL('./baseline-encoder.ts', import.meta.url));
const rounds = 3;

type Subject = {
  readonly prompt: string;
  readonly resolution: Resolution;
  readonly seconds: number;
};

/** Every kind of scene at the most common resolution, one scene at the others. */
const subjects: readonly Subject[] = [
  ...[
    'A lighthouse by the sea at sunrise',
    'Snowy mountains in the morning mist',
    'A city at night, neon lights in the rain',
    'A spiral galaxy among the stars',
    'A forest in autumn, sunbeams between the trees',
    'Dunes of a desert at sunset',
    'A campfire in the dark',
    'A field of flowers in the wind',
    'An idea becomes music',
  ].map((prompt) => ({ prompt, resolution: '720p', seconds: 5 }) as const),
  { prompt: 'A lighthouse by the sea at sunrise', resolution: '480p', seconds: 5 },
  { prompt: 'A lighthouse by the sea at sunrise', resolution: '1080p', seconds: 3 },
  { prompt: 'A lighthouse by the sea at sunrise', resolution: '4k', seconds: 1 },
];

export async function previewBench(log: (line: string) => void): Promise<string> {
  const hasFfmpeg = (await run(['ffmpeg', '-version'])) !== null;
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-bench-'));
  // As in the service, which keeps compiled code after the renderer's self-check.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  await run([process.execPath, renderer, '--check', folder]);
  const rows: string[] = [];
  for (const subject of subjects) {
    log(`previews: ${subject.resolution}, ${subject.prompt} …`);
    rows.push(await compare(subject, { folder, hasFfmpeg }));
  }
  await rm(folder, { recursive: true, force: true });
  const baselineName = hasFfmpeg
    ? "this machine's `ffmpeg`"
    : "the renderer's own FFmpeg, as this machine has no `ffmpeg`";
  const title = '## Previews, processor seconds for a second of video';
  const note = `Baseline: ${baselineName} encodes the same raw frames from a file (x264 veryfast,
crf 20, 2 threads) and an audio track of the same length (AAC). Renderer: the whole process.`;
  const head = '| | baseline | renderer | ratio |\n|---|---|---|---|';
  return `${title}\n\n${note}\n\n${head}\n${rows.join('\n')}\n`;
}

async function compare(
  { prompt, resolution, seconds }: Subject,
  { folder, hasFfmpeg }: { readonly folder: string; readonly hasFfmpeg: boolean },
): Promise<string> {
  const generation = sampleGeneration({
    ...{ model: 'vidgen-2-0', prompt, resolution, duration: seconds, generateAudio: true },
  });
  const out = { video: join(folder, 'ours.mp4'), lastFrame: null };
  const job: RenderJob = { generation, materials: [], seed: 7, out };
  const jobFile = join(folder, 'job.json');
  await writeFile(jobFile, JSON.stringify(job));
  const raw = join(folder, 'frames.rgba');
  const size = await writeFrames(job, raw);
  const encode = baselineCommand({
    raw,
    size,
    seconds,
    hasFfmpeg,
    file: join(folder, 'plain.mp4'),
  });
  const baseline: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    baseline.push(await processorSeconds(encode));
    ours.push(await processorSeconds([process.execPath, renderer, jobFile]));
  }
  const [less, more] = [median(baseline) / seconds, median(ours) / seconds];
  const figures = [less.toFixed(2), more.toFixed(2), (more / less).toFixed(2)];
  return `| ${resolution}, ${seconds} s: ${prompt} | ${figures.join(' | ')} |`;
}

/** Writes the frames that the encoder receives, and returns their size. */
async function writeFrames(job: RenderJob, file: string): Promise<Size> {
  const picture = await createPicture(job);
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const stream = createWriteStream(file);
  for (let frame = 0; frame < picture.frames; frame += 1) {
    await picture.draw(context, frame);
    if (!stream.write(canvas.data())) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  await picture.close();
  return picture.size;
}

function baselineCommand(options: {
  readonly raw: string;
  readonly size: Size;
  readonly seconds: number;
  readonly hasFfmpeg: boolean;
  readonly file: string;
}): string[] {
  const { raw, size, seconds, file } = options;
  const shape = `${size.width}x${size.height}`;
  if (!options.hasFfmpeg) return [process.execPath, baselineEncoder, raw, shape, file];
  const frames = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', shape, '-r', `${framesPerSecond}`];
  const audio = ['-f', 'lavfi', '-t', `${seconds}`, '-i', 'sine=frequency=220:sample_rate=48000'];
  return [
    ...['ffmpeg', '-v', 'error', ...frames, '-i', raw, ...audio],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-threads', '2'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '160k', '-ac', '2'],
    ...['-movflags', '+faststart', '-y', file],
  ];
}

/** Returns the user and system time of a command and its children. */
async function processorSeconds(command: readonly string[]): Promise<number> {
  // The last line is the shell's count for its children.
  const output = await run(['sh', '-c', '"$@" && times', 'sh', ...command]);
  const times = output
    ?.trim()
    .split('\n')
    .at(-1)
    ?.matchAll(/(\d+)m([\d.]+)s/g);
  if (!times) throw new Error(`${command[0]} failed`);
  return [...times].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
}

/** Returns the output, or null when the command failed or could not be run. */
async function run([program, ...args]: readonly string[]): Promise<string | null> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return await new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? output : null));
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
