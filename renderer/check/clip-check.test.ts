/**
 * A clip of every kind has the promised length, size, frames and sound.
 * Thorough: renders a clip of every kind, one of them in 4k.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolutions } from '@vidgen/contract/models.ts';
import { openScratch } from '../testing/rendered.ts';
import { allCases, type CheckCase, caseOf, clipKinds, nameOf } from './cases.ts';
import { checkCase, verify } from './clip-check.ts';
import { createMaterials } from './materials.ts';

const scratch = await openScratch();
after(() => scratch[Symbol.asyncDispose]());
const materials = createMaterials(join(scratch.folder, 'materials'));

/** One of each kind, in sizes that are no multiple of 16, and one in 4k. */
const sample = (
  [
    ['text', 'vidgen-2-0', '4k', '21:9', '16:9'],
    ['image', 'vidgen-2-0', '480p', '21:9', '4:3'],
    ['images', 'vidgen-2-5', '480p', 'adaptive', '9:16'],
    ['reference', 'vidgen-2-0-fast', '480p', '1:1', '4:3'],
    ['edit', 'vidgen-2-5', '480p', 'adaptive', '3:4'],
    ['extension', 'vidgen-2-5', '480p', 'adaptive', '16:9'],
  ] as const
).map(([kind, model, resolution, aspectRatio, given]) =>
  caseOf({ kind, model, resolution, aspectRatio, given }),
);

/** An edit is as long as its source. */
function secondsOf({ resolution, kind }: CheckCase): number {
  if (kind === 'edit') return 1;
  return resolution === '4k' ? 0.125 : 0.5;
}

for (const [index, one] of sample.entries()) {
  test(`renders a valid clip: ${nameOf(one)}`, async () => {
    const name = `clip-${index}`;
    const options = { name, scratch, materials, seconds: secondsOf(one) };
    assert.deepEqual((await checkCase(one, options)).problems, []);
  });
}

test('reports wrong length, size and frames', async () => {
  const one = sample[2]!;
  const file = (ending: string): string => join(scratch.folder, `clip-2.${ending}`);
  const rendered = { video: file('mp4'), lastFrame: file('jpg'), reports: [], code: 0 };
  const [first, last] = await materials.of(['image', 'image'], '9:16');
  const seconds = secondsOf(one);
  const swapped = await verify(one, rendered, { materials: [last!, first!], seconds: 2 });
  assert.match(swapped.problems.join(), new RegExp(`frames is ${seconds * 24}, not 48`));
  assert.match(swapped.problems.join(), /audio is 0\.\d+ s long/);
  assert.match(swapped.problems.join(), /the first frame is at \d+\.\d dB/);
  assert.match(swapped.problems.join(), /the last frame is at \d+\.\d dB/);

  const other = { ...one, kind: 'text', size: { width: 496, height: 864 } } as const;
  const { problems } = await verify(other, rendered, { materials: [], seconds });
  assert.deepEqual(problems.slice(0, 2), ['width is 480, not 496', 'height is 854, not 864']);
});

test('covers every kind in every resolution and size that the catalog allows, once', () => {
  const cases = allCases();
  assert.equal(new Set(cases.map(nameOf)).size, cases.length);
  for (const kind of Object.keys(clipKinds)) {
    for (const resolution of resolutions) {
      const found = cases.filter((one) => one.kind === kind && one.resolution === resolution);
      const sizes = new Set(found.map(({ size }) => `${size.width}x${size.height}`));
      // docs/spec.md 4.3.6 and 4.3.7: only model 2.5 edits and extends, and it has no 4k.
      if ((kind === 'edit' || kind === 'extension') && resolution === '4k') {
        assert.equal(found.length, 0);
      } else assert.ok(sizes.size >= 6, `${kind} ${resolution}: ${[...sizes]}`);
    }
  }
  const invalid = cases.filter(
    ({ model, resolution, kind, aspectRatio }) =>
      model === 'vidgen-2-5' &&
      (resolution === '4k' ||
        (kind !== 'text' && kind !== 'reference' && aspectRatio !== 'adaptive')),
  );
  assert.deepEqual(invalid, []);
});
