import assert from 'node:assert/strict';
import { test } from 'node:test';
import { justify } from './justified-layout.ts';

const area = { x: 60, y: 80, width: 1100, height: 420 };

test('places any number of images inside the area without overlap', () => {
  for (const count of [1, 2, 3, 5, 8, 13, 30, 50]) {
    const shapes = Array.from({ length: count }, (_, index) => [1.78, 0.6, 1, 1.5][index % 4]!);
    const boxes = justify(shapes, area, 20);
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

test('aligns several rows on both sides', () => {
  const shapes = [1.5, 0.7, 1, 1.78, 0.56, 1.33, 1, 1.5, 0.75, 1.78, 1];
  const boxes = justify(shapes, area, 20);
  const rows = Map.groupBy(boxes, ({ y }) => Math.round(y));
  assert.ok(rows.size > 1);
  const edges = [...rows.values()].map((row) => [
    Math.round(row[0]!.x),
    Math.round(row.at(-1)!.x + row.at(-1)!.width),
  ]);
  for (const edge of edges) assert.deepEqual(edge, edges[0]);
});
