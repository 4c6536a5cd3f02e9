import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridOf } from './card-grid.ts';

const area = { x: 60, y: 80, width: 1100, height: 420 };

test('places any number of images inside the area without overlap', () => {
  for (const count of [1, 2, 3, 5, 8, 13, 30, 50]) {
    const shapes = Array.from({ length: count }, (_, index) => [1.78, 0.6, 1, 1.5][index % 4]!);
    const boxes = gridOf(shapes, area, 20);
    assert.equal(boxes.length, count);
    for (const [index, box] of boxes.entries()) {
      assert.ok(Math.abs(box.width / box.height - shapes[index]!) < 0.01, 'keeps its aspect ratio');
      assert.ok(box.x >= area.x - 0.01 && box.x + box.width <= area.x + area.width + 0.01);
      assert.ok(box.y >= area.y - 0.01 && box.y + box.height <= area.y + area.height + 0.01);
      for (const other of boxes.slice(index + 1)) {
        const apart =
          box.x + box.width <= other.x + 0.01 ||
          other.x + other.width <= box.x + 0.01 ||
          box.y + box.height <= other.y + 0.01 ||
          other.y + other.height <= box.y + 0.01;
        assert.ok(apart, `${count} images: ${index} overlaps`);
      }
    }
  }
});
