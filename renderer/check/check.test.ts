import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openScratch } from '../testing/rendered.ts';
import { type CheckCase, caseOf, nameOf } from './cases.ts';
import { checkCase } from './check.ts';
import { judge } from './judge.ts';
import { createMaterials } from './materials.ts';

const scratch = await openScratch();
after(() => scratch[Symbol.asyncDispose]());
const materials = createMaterials(join(scratch.folder, 'materials'));

const isThorough = process.env.VIDGEN_TEST_THOROUGH === '1';

/** One of each mode, in sizes that are no multiple of 16, and one in 4k. */
const sample: readonly Omit<CheckCase, 'size'>[] = [
  {
    ...{ mode: 'text', model: 'vidgen-2-0', resolution: '4k' },
    ...{ aspectRatio: '21:9', given: '16:9' },
  },
  {
    ...{ mode: 'image', model: 'vidgen-2-0', resolution: '480p' },
    ...{ aspectRatio: '21:9', given: '4:3' },
  },
  {
    ...{ mode: 'images', model: 'vidgen-2-5', resolution: '480p' },
    ...{ aspectRatio: 'adaptive', given: '9:16' },
  },
  {
    ...{ mode: 'reference', model: 'vidgen-2-0-fast', resolution: '480p' },
    ...{ aspectRatio: '1:1', given: '4:3' },
  },
  {
    ...{ mode: 'edit', model: 'vidgen-2-5', resolution: '480p' },
    ...{ aspectRatio: 'adaptive', given: '3:4' },
  },
  {
    ...{ mode: 'extension', model: 'vidgen-2-5', resolution: '480p' },
    ...{ aspectRatio: 'adaptive', given: '16:9' },
  },
];

/** The last of half a second is more of the same. An edit is as long as its source. */
function secondsOf({ resolution, mode }: CheckCase): number {
  if (mode === 'edit' || isThorough) return 1;
  return resolution === '4k' ? 0.125 : 0.5;
}

for (const [index, one] of sample.map(caseOf).entries()) {
  test(`a clip is what it should be: ${nameOf(one)}`, async () => {
    const name = `clip-${index}`;
    const seconds = secondsOf(one);
    const { problems } = await checkCase(one, { name, scratch, materials, seconds });
    assert.deepEqual(problems, []);
  });
}

test('a clip that is not what it should be is found out', async () => {
  const one = caseOf(sample[2]!);
  const file = (ending: string): string => join(scratch.folder, `clip-2.${ending}`);
  const rendered = { video: file('mp4'), lastFrame: file('jpg'), reports: [], code: 0 };
  const [first, last] = await materials.of('images', '9:16');
  const seconds = secondsOf(one);
  const swapped = await judge(one, rendered, { materials: [last!, first!], seconds: 2 });
  assert.match(swapped.problems.join(), new RegExp(`frames is ${seconds * 24}, not 48`));
  assert.match(swapped.problems.join(), /sound is 0\.\d+ s long/);
  assert.match(swapped.problems.join(), /the first frame is at \d+\.\d dB/);
  assert.match(swapped.problems.join(), /the last frame is at \d+\.\d dB/);

  const other = { ...one, mode: 'text', size: { width: 496, height: 864 } } as const;
  const { problems } = await judge(other, rendered, { materials: [], seconds });
  assert.deepEqual(problems.slice(0, 2), ['width is 480, not 496', 'height is 854, not 864']);
});
