import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { imageCard } from './card.ts';
import { type CardContent, mountCard } from './card-mount.ts';

const box = { x: 60, y: 40, width: 160, height: 90 };

function plain(color: string) {
  const picture = createCanvas(160, 90);
  const context = picture.getContext('2d', { alpha: false });
  context.fillStyle = color;
  context.fillRect(0, 0, 160, 90);
  return picture;
}

function scene(): { context: SKRSContext2D; at(x: number, y: number): number[] } {
  const context = createCanvas(280, 170).getContext('2d', { alpha: false });
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 280, 170);
  return { context, at: (x, y) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)] };
}

test('fills its box, casts a shadow and leaves the rest unchanged', async () => {
  const { context, at } = scene();
  await mountCard(imageCard(plain('#2040a0')), 0.3).draw(context, box, 0);
  assert.deepEqual(at(140, 85), [0x20, 0x40, 0xa0]);
  assert.ok(at(140, 134)[0]! < 250, 'a shadow below it');
  assert.deepEqual(
    [at(2, 2), at(277, 160)],
    [
      [255, 255, 255],
      [255, 255, 255],
    ],
  );
});

test('draws moving content at every time, and still content once', async () => {
  for (const [isStill, expected] of [
    [true, 1],
    [undefined, 3],
  ] as const) {
    let draws = 0;
    const content: CardContent = {
      aspect: 16 / 9,
      ...(isStill ? { isStill } : {}),
      draw() {
        draws += 1;
      },
    };
    const card = mountCard(content, 1);
    const { context } = scene();
    for (const second of [0, 1, 2]) await card.draw(context, box, second);
    assert.equal(draws, expected);
  }
});
