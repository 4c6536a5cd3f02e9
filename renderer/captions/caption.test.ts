/**
 * Captions of every script, drawn.
 *
 * Thorough: draws captions of every script.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { createOverlay } from '../encode/overlay.ts';
import { planesIn, planesLength } from '../encode/planes.ts';
import { prompts } from '../testing/scripts.ts';
import { type CaptionOptions, createCaption } from './caption.ts';
import { labelMark } from './words.ts';

type CaptionState = { readonly second: number; readonly opacity: number };

const size = { width: 864, height: 496 };
const atRest = 1.9;
const faded = 3;

function optionsFor(prompt: string, change: Partial<CaptionOptions> = {}): CaptionOptions {
  const unit = size.height / 720;
  const look = { accent: [255, 210, 140] as const, watermark: false, isTitle: false };
  return { size, prompt, unit, seconds: 5, ...look, ...change };
}

function drawn(options: CaptionOptions, { second, opacity }: CaptionState): Buffer {
  const planes = Buffer.alloc(planesLength(size), 110);
  const caption = createCaption(options);
  createOverlay(caption.marks)(planesIn(planes, size), caption.opacitiesAt(second, opacity));
  return planes;
}

const whole = (second: number): CaptionState => ({ second, opacity: 1 });
const colorsOf = (pixels: Buffer): Uint32Array =>
  new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);

test('appears, stays unchanged, then fades', () => {
  const options = optionsFor(prompts.mixed);
  const [before, during, after] = [0, 0.4, atRest].map((at) => drawn(options, whole(at)));
  assert.ok(!during!.equals(before!) && !after!.equals(during!));
  assert.ok(drawn(options, whole(1.8)).equals(after!), 'nothing changes');
  const label = drawn(optionsFor(''), whole(faded));
  assert.ok(drawn(options, whole(faded)).equals(label), 'only the label stays');
});

test('leaves a given frame unchanged, and shows the watermark soon after it', () => {
  const options = optionsFor(prompts.Latin, { watermark: true });
  const given = drawn(options, { second: atRest, opacity: 0 });
  assert.equal(new Set(given).size, 1);
  const plain = drawn(optionsFor(prompts.Latin), { second: atRest, opacity: 0.4 });
  assert.ok(!drawn(options, { second: atRest, opacity: 0.4 }).equals(plain));
});

/** Relative luminance, as WCAG 2 defines it. */
function luminanceOf(color: number): number {
  const [red, green, blue] = [color & 255, (color >> 8) & 255, (color >> 16) & 255].map((value) =>
    value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

for (const ground of ['#fff', '#000', '#8fd0ff']) {
  test(`the letters of PREVIEW are readable on ${ground}`, () => {
    const { picture } = labelMark({ margin: 0, unit: size.height / 720 });
    const { width, height } = picture;
    const context = createCanvas(width - 12, height - 8).getContext('2d', { alpha: false });
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);
    context.drawImage(picture, -6, -4);
    const levels = [...colorsOf(Buffer.from(context.canvas.data()))].map(luminanceOf);
    levels.sort((one, other) => one - other);
    const [panel, letters] = [
      levels[levels.length >> 1]!,
      levels[Math.floor(levels.length * 0.97)]!,
    ];
    const contrast = (letters + 0.05) / (panel + 0.05);
    assert.ok(contrast > 4.5, `contrast ${contrast.toFixed(1)}`);
  });
}

test('a title fades before the last frame', () => {
  const options = optionsFor(prompts.Latin, { isTitle: true });
  const label = drawn(optionsFor(''), whole(atRest));
  assert.ok(!drawn(options, whole(4)).equals(label), 'it is there for most of the clip');
  assert.ok(drawn(options, whole(119 / 24)).equals(label));
});
