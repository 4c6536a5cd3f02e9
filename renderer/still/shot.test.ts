import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landscapeOf } from '../testing/stills.ts';
import { isAtRest, relativeTo, shotOf } from './shot.ts';
import { projectGrid, stillOf } from './still.ts';
import { gridOver } from './warp.ts';

const kinds = ['drift', 'pan', 'tilt', 'zoom', 'dolly', 'orbit', 'still'] as const;

test('starts and ends at rest, and is at rest relative to its own end', () => {
  const size = { width: 640, height: 360 };
  for (const kind of kinds) {
    for (const lastSecond of [0.95, 5, 29.95]) {
      const shot = shotOf({ move: { kind, direction: 1, pace: 1 }, lastSecond }, size);
      assert.ok(isAtRest(shot.at(0)), kind);
      const end = shot.at(lastSecond);
      assert.ok(isAtRest(relativeTo(end, end)), kind);
      const [first, middle] = [shot.at(1 / 24), shot.at(lastSecond / 2)];
      assert.ok(Math.abs(first.zoom) <= Math.abs(middle.zoom) / 4, `${kind} starts softly`);
      const before = shot.at(lastSecond - 1 / 24);
      assert.ok(Math.abs(end.shiftX - before.shiftX) < 0.5, `${kind} ends softly`);
    }
  }
});

test('never shows anything beyond the image except when zooming out', () => {
  for (const size of [
    { width: 640, height: 360 },
    { width: 360, height: 640 },
    { width: 480, height: 480 },
  ]) {
    const grid = gridOver(size);
    const still = stillOf(landscapeOf(size), grid);
    for (const kind of kinds) {
      for (const direction of kind === 'zoom' || kind === 'dolly' ? [1] : [1, -1]) {
        const move = { kind, direction: direction as 1 | -1, pace: 1 };
        const lastSecond = kind === 'orbit' ? 30 : 5;
        const shot = shotOf({ move, lastSecond }, size);
        for (const second of [0.5, lastSecond / 3, lastSecond]) {
          const { x, y, image } = projectGrid(still, grid, shot.at(second));
          const beyond = (value: number, side: number, margin: number): number =>
            Math.max(margin - value, value - margin - side) / side;
          const most = Math.max(
            ...x.map((value) => beyond(value, size.width + grid.cell, image.margin.x)),
            ...y.map((value) => beyond(value, size.height + grid.cell, image.margin.y)),
          );
          assert.ok(most < 0.008, `${kind} ${direction} at ${second} s: ${most}`);
        }
      }
    }
  }
});
