import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../../../renderer/random.ts';
import { classifyGrowth, type SeriesPoint } from './growth.ts';

const allowance = { share: 0.15, least: 10 };
const runs = Array.from({ length: 25 }, (_, at) => at + 1);

/** 180 samples of 10 s, with noise of a fifth of their level. */
function series(levelAt: (share: number) => number, seed: number): SeriesPoint[] {
  const random = randomFrom(seed);
  return Array.from({ length: 180 }, (_, at) => ({
    atMs: at * 10_000,
    value: levelAt(at / 180) + (random() - 0.5) * 40,
  }));
}
const verdictsOf = (levelAt: (share: number) => number) =>
  new Set(runs.map((seed) => classifyGrowth(series(levelAt, seed), allowance).verdict));

const isPeak = (share: number) => share > 0.9 && share < 0.95;
const sawtooth = (share: number) => ((share * 60) % 1) * 60;

for (const [what, verdict, level] of [
  ['a leak', 'grows', (share: number) => 200 + share * 120],
  ['a leak behind a sawtooth', 'grows', (share: number) => 200 + share * 120 + sawtooth(share)],
  ['noise alone', 'flat', () => 200],
  ['a sawtooth, as of garbage collections', 'flat', (share: number) => 200 + sawtooth(share)],
  ['a peak', 'flat', (share: number) => (isPeak(share) ? 900 : 200)],
  ['growth that ends', 'settled', (share: number) => 200 + 120 * Math.min(1, share / 0.6)],
  ['a fall', 'flat', (share: number) => 400 - share * 300],
] as const) {
  test(`${what}, in any noise: ${verdict}`, () => {
    assert.deepEqual(verdictsOf(level), new Set([verdict]));
  });
}

test('ignores gaps, and reports too few points', () => {
  const gaps = series((share) => 200 + share * 120, 1).map((point, at) =>
    at % 3 === 0 ? { ...point, value: Number.NaN } : point,
  );
  assert.equal(classifyGrowth(gaps, allowance).verdict, 'grows');
  assert.equal(classifyGrowth(gaps.slice(0, 9), allowance).verdict, 'too few points');
  assert.equal(classifyGrowth([], allowance).verdict, 'too few points');
});
