import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { FontWeight } from './font-files.ts';
import { typefaceFor } from './typeface.ts';

const widthOf = (text: string): number => typefaceFor(text, { weight: 600 }).extentOf(text).width;

function pixelsOf(text: string, weight: FontWeight): Buffer {
  const canvas = createCanvas(300, 60);
  const context = canvas.getContext('2d');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#fff';
  const place = { x: 10, baseline: 44, pixels: 30 };
  typefaceFor(text, { weight }).draw(context, text, place);
  return Buffer.from(canvas.data());
}

const inkOf = (text: string, weight: FontWeight): number =>
  pixelsOf(text, weight).reduce((sum, value, at) => (at % 4 === 0 ? sum + value : sum), 0);

test('connects letters, forms ligatures and draws emoji as one glyph', () => {
  const apart = (text: string): number => [...text].reduce((sum, each) => sum + widthOf(each), 0);
  for (const text of ['سلام', 'लक्ष्मी', 'ক্ষত্রিয়']) {
    assert.ok(widthOf(text) < apart(text) * 0.95, `${text} is set letter by letter`);
  }
  for (const one of ['👩‍👩‍👧‍👦', '🏄‍♀️', '🇯🇵', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
    assert.ok(Math.abs(widthOf(one) - widthOf('😀')) < 0.02, `${one} falls apart`);
  }
});

test('draws every script in the requested weight, with variable fonts too', () => {
  for (const text of ['Lighthouse', '灯塔雪山', '灯台のやま', '등대', 'منارة', 'प्रकाश']) {
    assert.ok(inkOf(text, 600) > inkOf(text, 500) * 1.05, text);
    assert.ok(inkOf(text, 600) < inkOf(text, 500) * 1.4, text);
  }
});

test('draws emoji in color', () => {
  const pixels = pixelsOf('🌊', 600);
  let colored = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    if (Math.abs(pixels[at]! - pixels[at + 2]!) > 60) colored += 1;
  }
  assert.ok(colored > 100, `${colored} colored pixels`);
});

test('sets shared punctuation one em wide in Chinese text', () => {
  const chinese = typefaceFor('镜头“慢慢地”推进……', { weight: 600 });
  assert.ok(Math.abs(chinese.extentOf('“').width - 1) < 0.01);
  assert.ok(Math.abs(chinese.extentOf('……').width - 2) < 0.01);
  const english = typefaceFor('a sign “東京” and more words…', { weight: 600 });
  assert.ok(english.extentOf('“').width < 0.6);
});
