/**
 * Captions of every script, drawn.
 *
 * Thorough: draws captions of every script.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { prompts } from '../testing/scripts.ts';
import { type CaptionOptions, createCaption } from './caption.ts';

const size = { width: 864, height: 496 };
const moving = 0.9;
const atRest = 3;

type CaptionState = { readonly second: number; readonly opacity: number };

function optionsFor(prompt: string, change: Partial<CaptionOptions> = {}): CaptionOptions {
  const unit = size.height / 720;
  return { size, prompt, unit, accent: [255, 210, 140], watermark: false, ...change };
}

/** Over a gray frame. */
function drawn(options: CaptionOptions, ...states: readonly CaptionState[]): Buffer {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const caption = createCaption(options);
  for (const state of states) {
    context.fillStyle = '#678';
    context.fillRect(0, 0, size.width, size.height);
    caption.draw(context, state);
  }
  return Buffer.from(canvas.data());
}

const whole = (second: number): CaptionState => ({ second, opacity: 1 });
const colorsOf = (pixels: Buffer): Uint32Array =>
  new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);

/** Pixels as bright as only the text is. */
function brightOf(pixels: Buffer): number {
  let count = 0;
  for (const color of colorsOf(pixels)) if ((color & 0xf0f0f0) === 0xf0f0f0) count += 1;
  return count;
}

for (const [script, prompt] of Object.entries(prompts)) {
  test(`${script} appears, then stays unchanged, without holes`, () => {
    const options = optionsFor(prompt);
    const [before, during, after] = [0, moving, atRest].map((at) => drawn(options, whole(at)));
    assert.ok(!during!.equals(before!) && !after!.equals(during!));
    if (script !== 'emoji')
      assert.ok(brightOf(after!) > brightOf(before!) + 400, 'the text is visible');
    assert.ok(colorsOf(after!).every((color) => color >>> 24 === 255));
    assert.ok(drawn(options, whole(9)).equals(after!), 'then nothing changes');
  });
}

test('draws a time the same regardless of earlier calls', () => {
  for (const prompt of Object.values(prompts)) {
    const options = optionsFor(prompt);
    const others = [atRest, 0.2, 1.2].map(whole);
    assert.ok(drawn(options, ...others, whole(moving)).equals(drawn(options, whole(moving))));
  }
});

test('words appear one after the other and then stay in place', () => {
  const options = optionsFor(prompts.Latin);
  const brights = [0.5, 0.8, 1.1, 1.5, 2.5].map((second) =>
    brightOf(drawn(options, whole(second))),
  );
  assert.deepEqual(
    brights,
    brights.toSorted((one, other) => one - other),
  );
  assert.ok(new Set(brights).size >= 4, 'more of them each time');
});

test('leaves a given frame unchanged, and shows the watermark soon after it', () => {
  const options = optionsFor(prompts.Latin, { watermark: true });
  const given = drawn(options, { second: atRest, opacity: 0 });
  assert.equal(new Set(colorsOf(given)).size, 1);
  const plain = drawn(optionsFor(prompts.Latin), { second: atRest, opacity: 0.4 });
  assert.ok(!drawn(options, { second: atRest, opacity: 0.4 }).equals(plain));
});

test('shows only the label for a prompt without visible text', () => {
  const label = drawn(optionsFor(''), whole(atRest));
  assert.ok(
    brightOf(label) === 0 && !label.equals(drawn(optionsFor(''), { second: 0, opacity: 0 })),
  );
  for (const prompt of ['\u200b', '\u{13000}\u{13001}', '\u202e']) {
    assert.ok(drawn(optionsFor(prompt), whole(atRest)).equals(label));
  }
});
