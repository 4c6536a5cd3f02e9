import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolutions } from '@vidgen/contract/models.ts';
import { allCases, checkModes, nameOf, ratios } from './cases.ts';

const cases = allCases();
const having = (wanted: Partial<(typeof cases)[number]>) =>
  cases.filter((one) =>
    Object.entries(wanted).every(([name, value]) => one[name as keyof typeof one] === value),
  );

test('every mode comes in every resolution and shape it may have', () => {
  for (const mode of checkModes) {
    const isVideo = mode === 'edit' || mode === 'extension';
    for (const resolution of resolutions) {
      const found = having({ mode, resolution });
      // Spec 4.3.6 and 4.3.7: editing and extension are of model 2.5, which has no 4k.
      if (isVideo && resolution === '4k') assert.equal(found.length, 0);
      else {
        const shapes = new Set(found.map(({ size }) => `${size.width}x${size.height}`));
        assert.ok(shapes.size >= ratios.length, `${mode} ${resolution}: ${[...shapes]}`);
      }
    }
  }
});

test('nothing is asked that the service would refuse', () => {
  assert.equal(having({ model: 'vidgen-2-5', resolution: '4k' }).length, 0);
  for (const mode of ['image', 'images', 'edit', 'extension'] as const) {
    const others = having({ mode, model: 'vidgen-2-5' }).filter(
      ({ aspectRatio }) => aspectRatio !== 'adaptive',
    );
    assert.deepEqual(others, []);
  }
});

test('no two of them are the same clip, or have the same name', () => {
  assert.equal(new Set(cases.map(nameOf)).size, cases.length);
});
