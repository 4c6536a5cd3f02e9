import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSound, sampleRate } from './sound.ts';

function listen(seed: number, bySea = false): Float32Array[] {
  const sound = createSound({ seed, seconds: 4, bySea });
  return Array.from({ length: 4 }, () => sound.nextSecond());
}

test('is heard, never clips, and fades at both ends', () => {
  for (const seconds of [listen(1), listen(2, true)]) {
    for (const samples of seconds) {
      assert.equal(samples.length, sampleRate * 2);
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      assert.ok(peak > 0.01 && peak < 0.95, `peak ${peak}`);
    }
    assert.ok(Math.abs(seconds[0]![0]!) < 0.001);
    assert.ok(Math.abs(seconds[3]!.at(-1)!) < 0.001);
  }
});

test('repeats itself for the same seed only', () => {
  assert.deepEqual(listen(5), listen(5));
  assert.notDeepEqual(listen(5), listen(6));
});

test('has no step from one second to the next', () => {
  const seconds = listen(9);
  for (const [index, samples] of seconds.slice(1).entries()) {
    assert.ok(Math.abs(samples[0]! - seconds[index]!.at(-2)!) < 0.05);
  }
});
