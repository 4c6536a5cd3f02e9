/**
 * The preview renderer: `node renderer/render.ts <job.json>` renders one clip and exits; `--check
 * [folder]` renders a one-second test clip and reports the encoder. Opens no connection and writes
 * only the files named in its job. `--encoder=wasm` disables native code.
 */
import './ignore-signals.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { checkDecodable } from './encode/choose.ts';
import { type EncodeThread, startEncodeThread } from './encode/encode-thread.ts';
import {
  type CheckReport,
  type EncoderName,
  framesPerSecond,
  type RenderJob,
  type Report,
} from './render-job.ts';
import { UnusableMaterial } from './unusable.ts';

const lastFrameQuality = 92;

const selfTest: Generation = {
  model: 'vidgen-2-0',
  prompt: 'A lighthouse by the sea at sunrise',
  generationType: 'text-to-video',
  imageUrls: [],
  videoUrls: [],
  audioUrls: [],
  duration: 1,
  aspectRatio: '16:9',
  resolution: '480p',
  generateAudio: true,
  watermark: false,
  webSearch: false,
  returnLastFrame: false,
  seed: 0,
};

function report(line: Report | CheckReport, onWritten = () => {}): void {
  process.stdout.write(`${JSON.stringify(line)}\n`, onWritten);
}

async function render(
  job: RenderJob,
  options: { starting: Promise<EncodeThread>; onProgress(progress: number): void },
): Promise<number> {
  const { starting, onProgress } = options;
  // The error is handled at the next await, and must not count as unhandled until then.
  starting.catch(() => {});
  // What draws is loaded while the thread of the encoder starts.
  const [{ createCanvas }, { enlargedCanvas }, { createPicture }] = await Promise.all([
    import('@napi-rs/canvas'),
    import('./image.ts'),
    import('./picture.ts'),
  ]);
  if (job.materials.length > 0) checkDecodable(job, (await starting).encoder);
  const [thread, picture] = await Promise.all([starting, createPicture(job)]);
  const { size, drawn, marks, frames, plan, brief } = picture;
  const seconds = frames / framesPerSecond;
  const context = createCanvas(drawn.width, drawn.height).getContext('2d', { alpha: false });
  const { composition, chosen } = plan;
  const { mood, ambience } = brief;
  const soundtrack = { plan: { composition, chosen }, brief: { mood, ambience }, seconds };
  await thread.open({ job, soundtrack, size, drawn, marks, frames });
  for (let frame = 0; frame < frames; frame += 1) {
    await picture.draw(context, frame);
    if (frame === frames - 1 && job.out.lastFrame !== null) {
      const full = enlargedCanvas(context.canvas, size);
      await writeFile(job.out.lastFrame, await full.encode('jpeg', lastFrameQuality));
    }
    await thread.addFrame(context.canvas.data(), picture.opacitiesOf(frame));
    if (frame % 6 === 5) onProgress(Math.round((frame / frames) * 1000) / 1000);
  }
  await thread.close();
  await picture.close();
  return seconds;
}

async function check(parent: string, wanted?: EncoderName): Promise<CheckReport> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(parent, 'check-'));
    const starting = startEncodeThread(wanted);
    const out = { video: join(folder, 'clip.mp4'), lastFrame: null };
    const limits = { combinedSecondsMax: 15, extendsVideos: false };
    const job = { generation: selfTest, materials: [], seed: 0, limits, out };
    await render(job, { starting, onProgress: () => {} });
    const { name, reason } = (await starting).encoder;
    return { ready: true, encoder: name, detail: reason };
  } catch (error) {
    return { ready: false, encoder: null, detail: messageOf(error) };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function main(): Promise<Report | CheckReport> {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean' }, encoder: { type: 'string' } },
    allowPositionals: true,
  });
  const wanted = values.encoder as EncoderName | undefined;
  const [path] = positionals;
  if (values.check) return await check(path ?? tmpdir(), wanted);
  if (path === undefined) throw new Error('usage: render.ts <job.json> | --check [folder]');
  const job = JSON.parse(await readFile(path, 'utf8')) as RenderJob;
  try {
    const starting = startEncodeThread(wanted);
    const seconds = await render(job, { starting, onProgress: (progress) => report({ progress }) });
    return { done: true, seconds };
  } catch (error) {
    return {
      failed: error instanceof UnusableMaterial ? 'material' : 'failed',
      detail: messageOf(error),
    };
  }
}

// A write error means that the parent process is gone, so the clip is no longer needed.
process.stdout.on('error', () => process.exit(1));
// API requests on this machine take precedence over previews. A service that already runs with a
// lower priority cannot raise it again.
const belowNormal = constants.priority.PRIORITY_BELOW_NORMAL;
if (getPriority() < belowNormal) setPriority(belowNormal);
// Exits explicitly, since the threads of a failed render would keep the process alive.
report(await main(), () => process.exit());
