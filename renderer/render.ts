/**
 * The preview renderer: `node renderer/render.ts <job.json>` renders one clip and exits; `--check
 * [folder]` renders a one-second test clip and reports the encoder. Opens no connection and writes
 * only the files named in its job. `--encoder=wasm` disables native code.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCanvas } from '@napi-rs/canvas';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { checkDecodable, chooseEncoder, type EncoderChoice } from './encode/choose.ts';
import { createPicture } from './picture.ts';
import {
  type CheckReport,
  type EncoderName,
  framesPerSecond,
  type RenderJob,
  type Report,
} from './render-job.ts';
import { sampleRate } from './sound/sound.ts';
import { openSoundtrack } from './soundtrack.ts';
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
  { encoder: chosen, onProgress }: { encoder: EncoderChoice; onProgress(progress: number): void },
): Promise<number> {
  checkDecodable(job, chosen);
  const picture = await createPicture(job);
  const seconds = picture.frames / framesPerSecond;
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const sound = await openSoundtrack(job, { ...picture, seconds });
  const encoder = await chosen.open({
    file: job.out.video,
    size: picture.size,
    frames: picture.frames,
    framesPerSecond,
    sampleRate: sound && sampleRate,
  });

  const { frames } = picture;
  for (let frame = 0; frame < frames; frame += 1) {
    if (frame % framesPerSecond === 0) {
      const samples = await sound?.next();
      if (samples) await encoder.addAudio(samples);
    }
    await picture.draw(context, frame);
    if (frame === frames - 1 && job.out.lastFrame !== null) {
      await writeFile(job.out.lastFrame, await canvas.encode('jpeg', lastFrameQuality));
    }
    await encoder.addFrame(canvas.data());
    if (frame % 6 === 5) onProgress(Math.round((frame / frames) * 1000) / 1000);
  }
  await encoder.close();
  await picture.close();
  await sound?.close();
  return seconds;
}

/** Renders a small one-second clip with audio. */
async function check(parent: string, wanted?: EncoderName): Promise<CheckReport> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(parent, 'check-'));
    const encoder = await chooseEncoder(wanted);
    const out = { video: join(folder, 'clip.mp4'), lastFrame: null };
    const job = { generation: selfTest, materials: [], seed: 0, out };
    await render(job, { encoder, onProgress: () => {} });
    return { ready: true, encoder: encoder.name, detail: encoder.reason };
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
    const encoder = await chooseEncoder(wanted);
    const seconds = await render(job, { encoder, onProgress: (progress) => report({ progress }) });
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
