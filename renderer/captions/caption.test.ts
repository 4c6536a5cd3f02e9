import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCanvas } from '@napi-rs/canvas';
import { prompts } from '../testing/scripts.ts';
import { type CaptionOptions, createCaption } from './caption.ts';

const size = { width: 864, height: 496 };
const moving = 0.9;
const atRest = 3;

type Moment = { readonly second: number; readonly presence: number };

function optionsFor(prompt: string, change: Partial<CaptionOptions> = {}): CaptionOptions {
  const unit = size.height / 720;
  return { size, prompt, unit, accent: [255, 210, 140], watermark: false, ...change };
}

/** Over a grey frame. */
function drawn(options: CaptionOptions, ...moments: readonly Moment[]): Buffer {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const caption = createCaption(options);
  for (const moment of moments) {
    context.fillStyle = '#678';
    context.fillRect(0, 0, size.width, size.height);
    caption.draw(context, moment);
  }
  return Buffer.from(canvas.data());
}

const whole = (second: number): Moment => ({ second, presence: 1 });
const colorsOf = (pixels: Buffer): Uint32Array =>
  new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);

/** Pixels as bright as only words are. */
function brightOf(pixels: Buffer): number {
  let count = 0;
  for (const color of colorsOf(pixels)) if ((color & 0xf0f0f0) === 0xf0f0f0) count += 1;
  return count;
}

for (const [script, prompt] of Object.entries(prompts)) {
  test(`${script} comes in, rests, and leaves no holes`, () => {
    const options = optionsFor(prompt);
    const [before, during, after] = [0, moving, atRest].map((at) => drawn(options, whole(at)));
    assert.ok(!during!.equals(before!) && !after!.equals(during!));
    if (script !== 'emoji') assert.ok(brightOf(after!) > brightOf(before!) + 400, 'words are seen');
    assert.ok(colorsOf(after!).every((color) => color >>> 24 === 255));
    assert.ok(drawn(options, whole(9)).equals(after!), 'then nothing moves');
  });
}

test('a moment is drawn the same whatever was drawn before', () => {
  for (const prompt of Object.values(prompts)) {
    const options = optionsFor(prompt);
    const others = [atRest, 0.2, 1.2].map(whole);
    assert.ok(drawn(options, ...others, whole(moving)).equals(drawn(options, whole(moving))));
  }
});

test('words come in one after the other and the settled ones stay where they are', () => {
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

test('nothing is laid on a frame that was given, and the watermark is there soon after it', () => {
  const options = optionsFor(prompts.Latin, { watermark: true });
  const given = drawn(options, { second: atRest, presence: 0 });
  assert.equal(new Set(colorsOf(given)).size, 1);
  const plain = drawn(optionsFor(prompts.Latin), { second: atRest, presence: 0.4 });
  assert.ok(!drawn(options, { second: atRest, presence: 0.4 }).equals(plain));
});

test('a prompt of ten thousand characters has a caption of a few words', () => {
  for (const prompt of [
    'a word, and another. '.repeat(500),
    '海と山'.repeat(3_334),
    'x'.repeat(1e4),
  ]) {
    const long = drawn(optionsFor(prompt.slice(0, 10_000)), whole(atRest));
    assert.ok(!long.equals(drawn(optionsFor(''), whole(atRest))));
  }
});

test('a prompt without anything to show has only the label', () => {
  const label = drawn(optionsFor(''), whole(atRest));
  assert.ok(
    brightOf(label) === 0 && !label.equals(drawn(optionsFor(''), { second: 0, presence: 0 })),
  );
  for (const prompt of ['\u200b', '\u{13000}\u{13001}', '\u202e']) {
    assert.ok(drawn(optionsFor(prompt), whole(atRest)).equals(label));
  }
});

/** Draws every script in a process of its own and prints what came out. */
const inProcess = `
  const { prompts } = await import(process.env.SCRIPTS);
  const { createCaption } = await import(process.env.CAPTION);
  const { createCanvas } = await import('@napi-rs/canvas');
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  const size = { width: 864, height: 496 };
  for (const prompt of Object.values(prompts)) {
    const canvas = createCanvas(size.width, size.height);
    const context = canvas.getContext('2d', { alpha: false });
    context.fillStyle = '#678';
    context.fillRect(0, 0, size.width, size.height);
    const look = { accent: [255, 210, 140], watermark: false, unit: 496 / 720 };
    createCaption({ size, prompt, ...look }).draw(context, { second: 0.9, presence: 1 });
    hash.update(canvas.data());
  }
  process.stdout.write(hash.digest('hex'));
`;

test('the same on a machine without any font, and with another language', async () => {
  const hash = createHash('sha256');
  for (const prompt of Object.values(prompts))
    hash.update(drawn(optionsFor(prompt), whole(moving)));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', inProcess],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: {
        ...process.env,
        ...{ DISABLE_SYSTEM_FONTS_LOAD: '1', LC_ALL: 'th_TH.UTF-8' },
        SCRIPTS: new URL('../testing/scripts.ts', import.meta.url).href,
        CAPTION: new URL('./caption.ts', import.meta.url).href,
      },
    },
  );
  assert.equal(stdout, hash.digest('hex'));
});
