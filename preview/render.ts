/**
 * The built-in renderer: `node preview/render.ts <job.json>` makes one clip and ends; `--check`
 * tells whether this machine can. It opens no connection and writes only the files its job names.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { createCanvas } from '@napi-rs/canvas';
import { checkEncoder, openEncoder } from './encode.ts';
import { UnusableImage } from './image.ts';
import { type CheckReport, framesPerSecond, type Job, type Report, secondsOf } from './job.ts';
import { createPicture } from './picture.ts';
import { seedFrom } from './random.ts';
import { createSound, sampleRate } from './sound.ts';

const lastFrameQuality = 92;

const say = (line: Report | CheckReport): boolean =>
  process.stdout.write(`${JSON.stringify(line)}\n`);

async function render(job: Job): Promise<void> {
  const { generation } = job;
  const seconds = secondsOf(generation);
  const picture = await createPicture(job);
  const canvas = createCanvas(picture.size.width, picture.size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const sound = generation.generateAudio
    ? createSound({
        seed: seedFrom(generation.prompt, job.seed),
        seconds,
        bySea: picture.brief.ambience.includes('sea'),
      })
    : null;
  const encoder = await openEncoder({
    file: job.out.video,
    size: picture.size,
    framesPerSecond,
    sampleRate: sound && sampleRate,
  });

  const { frames } = picture;
  for (let frame = 0; frame < frames; frame += 1) {
    if (sound && frame % framesPerSecond === 0) await encoder.addAudio(sound.nextSecond());
    await picture.draw(context, frame);
    await encoder.addFrame(canvas.data());
    if (frame % 6 === 5) say({ progress: Math.round((frame / frames) * 1000) / 1000 });
  }
  await encoder.close();
  await picture.close();
  if (job.out.lastFrame !== null) {
    await writeFile(job.out.lastFrame, await canvas.encode('jpeg', lastFrameQuality));
  }
}

async function check(): Promise<CheckReport> {
  try {
    await checkEncoder();
    return { ready: true, detail: '' };
  } catch (error) {
    return { ready: false, detail: String(error) };
  }
}

async function main(): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) throw new Error('usage: render.ts <job.json> | --check');
  if (argument === '--check') return void say(await check());
  const job = JSON.parse(await readFile(argument, 'utf8')) as Job;
  try {
    await render(job);
    say({ done: true, seconds: secondsOf(job.generation) });
  } catch (error) {
    const failed = error instanceof UnusableImage ? 'material' : 'failed';
    say({ failed, detail: error instanceof Error ? error.message : String(error) });
  }
}

// Whoever reads the reports is gone when they cannot be written: nobody wants the clip any more.
process.stdout.on('error', () => process.exit(1));
// A preview is never more urgent than the service's own answers.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
await main();
