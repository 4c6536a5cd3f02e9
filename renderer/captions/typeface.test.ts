import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { typefaceFor } from './typeface.ts';

const widthOf = (text: string): number => typefaceFor(text).extentOf(text).width;

function pixelsOf(text: string): Buffer {
  const canvas = createCanvas(300, 60);
  const context = canvas.getContext('2d');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#fff';
  const place = { x: 10, baseline: 44, pixels: 30 };
  typefaceFor(text).draw(context, text, place);
  return Buffer.from(canvas.data());
}

test('connects letters, forms ligatures and draws emoji as one glyph', () => {
  const apart = (text: string): number => [...text].reduce((sum, each) => sum + widthOf(each), 0);
  for (const text of ['سلام', 'लक्ष्मी', 'ক্ষত্রিয়']) {
    assert.ok(widthOf(text) < apart(text) * 0.95, `${text} is set letter by letter`);
  }
  for (const one of ['👩‍👩‍👧‍👦', '🏄‍♀️', '🇯🇵', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
    assert.ok(Math.abs(widthOf(one) - widthOf('😀')) < 0.02, `${one} falls apart`);
  }
});

test('draws emoji in color', () => {
  const pixels = pixelsOf('🌊');
  let colored = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    if (Math.abs(pixels[at]! - pixels[at + 2]!) > 60) colored += 1;
  }
  assert.ok(colored > 100, `${colored} colored pixels`);
});
