/**
 * Each encoder writes a valid file in every size.
 * Thorough: encodes every size.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import type { EncoderName } from '../render-job.ts';
import { type Size, sizeOf } from '../size.ts';
import { framesOf, readClip, readWhole, similarity } from '../testing/clip.ts';
import { chooseEncoder } from './choose.ts';
import type { EncoderOptions } from './encoder.ts';

const folder = makeTemporaryFolder('preview');

const names: readonly EncoderName[] = ['native', 'wasm'];
const framesPerSecond = 24;
const sampleRate = 48_000;

/** A gradient, hard edges and text, moving. */
function testCanvas(size: Size, frame: number): Canvas {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  const ground = context.createLinearGradient(0, 0, size.width, size.height);
  ground.addColorStop(0, '#173a5e');
  ground.addColorStop(0.5, '#e8a33d');
  ground.addColorStop(1, '#5a1f3d');
  context.fillStyle = ground;
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#3fb0c6';
  context.fillRect(size.width * 0.1 + frame * 4, size.height * 0.2, size.width * 0.2, 90);
  context.fillStyle = '#fff';
  context.font = '600 60px sans-serif';
  context.fillText('preview', size.width * 0.3, size.height * 0.7);
  return context.canvas;
}

const testFrame = (size: Size, frame: number): Buffer => testCanvas(size, frame).data();

async function encode(
  folder: string,
  options: Pick<EncoderOptions, 'size'> &
    Partial<Pick<EncoderOptions, 'drawn' | 'marks'>> & {
      encoder: EncoderName;
      frames: Iterable<Buffer>;
      seconds?: number;
    },
): Promise<string> {
  const { size, drawn = size, marks = [], seconds = 0 } = options;
  const frames = [...options.frames];
  const { open } = await chooseEncoder(options.encoder);
  const file = join(folder, `${options.encoder}-${size.width}x${size.height}.mp4`);
  const rate = seconds > 0 ? sampleRate : null;
  const encoder = await open({
    file,
    size,
    drawn,
    marks,
    framesPerSecond,
    sampleRate: rate,
    frames: frames.length,
  });
  for (let second = 0; second < seconds; second += 1) await encoder.addAudio(tone());
  const opacities = marks.map(() => 1);
  for (const frame of frames) await encoder.addFrame(frame, opacities);
  await encoder.close();
  return file;
}

const tone = (): Float32Array =>
  Float32Array.from({ length: sampleRate * 2 }, (_, at) => Math.sin(at / 30) * 0.5);

function* testFrames(size: Size, count: number): Generator<Buffer> {
  for (let frame = 0; frame < count; frame += 1) yield testFrame(size, frame);
}

for (const encoder of names) {
  test(`${encoder}: writes all stream properties that players need`, async () => {
    const size = { width: 854, height: 480 };
    const frames = testFrames(size, 48);
    const file = await encode(folder, { encoder, size, frames, seconds: 2 });
    const { clip, first, last } = await readWhole(file);
    assert.partialDeepStrictEqual(clip, {
      ...size,
      frames: 48,
      framesPerSecond,
      videoSeconds: 2,
      seconds: 2,
      videoCodec: 'h264',
      profile: encoder === 'native' ? 100 : 578,
      pixelFormat: 'yuv420p',
      pixelAspect: '1:1',
      isFastStart: true,
      colorSpace: 1,
      colorPrimaries: 1,
      colorTransfer: 1,
      colorRange: 1,
      audio: { codec: 'aac', sampleRate, channels: 2 },
    });
    const { seconds, peak } = clip.audio!;
    assert.ok(Math.abs(seconds - 2) < 0.05, `sound of ${seconds} s`);
    assert.ok(peak > 0.4 && peak < 0.6, `loudest sample ${peak}`);
    for (const [pixels, frame] of [[first, 0] as const, [last, 47] as const]) {
      const decibels = similarity(pixels, testFrame(size, frame));
      assert.ok(decibels > 35, `frame ${frame} at ${decibels.toFixed(1)} dB`);
    }
  });

  test(`${encoder}: writes every frame size as requested`, async () => {
    const sizes = new Map<string, Size>();
    for (const resolution of resolutions) {
      for (const aspectRatio of aspectRatios) {
        // Of the larger sizes, the ones that are no multiple of 16 are enough.
        if (resolution === '4k' || (resolution !== '480p' && aspectRatio !== '21:9')) continue;
        const size = sizeOf({ model: 'vidgen-2-5', resolution, aspectRatio }, null);
        sizes.set(`${size.width}x${size.height}`, size);
      }
    }
    assert.ok(sizes.size >= 8);
    for (const size of sizes.values()) {
      const file = await encode(folder, { encoder, size, frames: testFrames(size, 2) });
      const { width, height, frames, audio } = await readClip(file);
      assert.deepEqual({ width, height, frames, audio }, { ...size, frames: 2, audio: null });
    }
  });

  test(`${encoder}: enlarges frames, and adds marks in the final size`, async () => {
    const size = { width: 640, height: 360 };
    const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
    const drawn = { width: 320, height: 180 };
    const small = testCanvas(drawn, 0);
    context.drawImage(small, 0, 0, size.width, size.height);
    const letters = createCanvas(200, 60).getContext('2d');
    letters.fillStyle = 'rgba(230,40,90,.7)';
    letters.font = '600 50px sans-serif';
    letters.fillText('sharp', 10, 50);
    context.drawImage(letters.canvas, 40, 280);
    const marks = [{ x: 40, y: 280, width: 200, height: 60, rgba: letters.canvas.data() }];
    const frames = [small.data(), small.data()];
    const file = await encode(folder, { encoder, size, drawn, marks, frames });
    const { last } = await readWhole(file);
    const decibels = similarity(last, context.canvas.data());
    assert.ok(decibels > 35, `${decibels.toFixed(1)} dB`);
  });

  test(`${encoder}: keeps the order and the color of frames`, async () => {
    const size = { width: 160, height: 96 };
    const colors = Array.from({ length: 40 }, (_, frame) => [frame * 6, 255 - frame * 5, 90]);
    const frames = colors.map((color) => {
      const pixels = Buffer.alloc(size.width * size.height * 4);
      for (let at = 0; at < pixels.length; at += 4) pixels.set([...color, 255], at);
      return pixels;
    });
    const file = await encode(folder, { encoder, size, frames });
    let frame = 0;
    for await (const pixels of framesOf(file, { width: 16, height: 8 })) {
      const seen = [...pixels.subarray(16 * 4 * 4, 16 * 4 * 4 + 3)];
      const wanted = colors[frame]!;
      const isNear = seen.every((value, channel) => Math.abs(value - wanted[channel]!) <= 5);
      assert.ok(isNear, `frame ${frame} is ${seen}, not ${wanted}`);
      frame += 1;
    }
    assert.equal(frame, colors.length);
  });

  test(`${encoder}: ends audio with the last frame`, async () => {
    const size = { width: 160, height: 96 };
    const frames = testFrames(size, 30);
    const file = await encode(folder, { encoder, size, frames, seconds: 2 });
    const { audio, seconds } = await readClip(file);
    assert.equal(seconds, 1.25);
    assert.ok(Math.abs(audio!.seconds - 1.25) < 0.05, `sound of ${audio!.seconds} s`);
  });
}
