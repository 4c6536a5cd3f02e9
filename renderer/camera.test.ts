import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { type CameraMove, cameraPath } from './camera.ts';

const kinds = ['drift', 'pan', 'tilt', 'zoom', 'dolly', 'orbit', 'still'] as const;
const sizes = [
  { width: 1280, height: 720 },
  { width: 720, height: 1280 },
  { width: 1470, height: 630 },
];

function* moves(): Generator<CameraMove> {
  for (const kind of kinds) {
    for (const direction of [1, -1] as const) {
      for (const pace of [0.5, 1, 1.8]) yield { kind, direction, pace };
    }
  }
}

test('a layer with its margin covers the frame in every move, at any depth and time', () => {
  const context = createCanvas(8, 8).getContext('2d');
  for (const move of moves()) {
    for (const size of sizes) {
      for (const seconds of [1, 4, 15, 30]) {
        const path = cameraPath(move, { size, seconds });
        for (const depth of [0, 0.1, 0.5, 1]) {
          const margin = path.margin(depth);
          for (let share = 0; share <= 1; share += 0.125) {
            path.at(share * seconds).look(context, depth, () => {
              const { a, d, e, f } = context.getTransform();
              const what = `${move.kind} ${move.direction} ${move.pace}, ${seconds} s, ${depth}`;
              assert.ok(-margin.x * a + e <= 0, `left: ${what}`);
              assert.ok((size.width + margin.x) * a + e >= size.width, `right: ${what}`);
              assert.ok(-margin.y * d + f <= 0, `top: ${what}`);
              assert.ok((size.height + margin.y) * d + f >= size.height, `bottom: ${what}`);
            });
          }
        }
      }
    }
  }
});

test('moves in the named direction: left or right, up or down, in or out', () => {
  const size = sizes[0]!;
  const at = (kind: CameraMove['kind'], direction: 1 | -1, second: number) =>
    cameraPath({ kind, direction, pace: 1 }, { size, seconds: 5 }).at(second);
  assert.ok(at('pan', 1, 5).x(1) < at('pan', 1, 0).x(1), 'the world moves left');
  assert.ok(at('pan', -1, 5).x(1) > at('pan', -1, 0).x(1), 'the world moves right');
  assert.ok(at('tilt', 1, 5).y(1) > at('tilt', 1, 0).y(1), 'the world sinks');
  assert.ok(at('dolly', 1, 5).scale(1) > at('dolly', 1, 0).scale(1));
  assert.ok(at('zoom', -1, 5).scale(0) < at('zoom', -1, 0).scale(0));
});
