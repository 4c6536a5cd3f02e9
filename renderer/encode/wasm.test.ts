import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from './parameter-set.ts';
import { levelFor } from './wasm.ts';

/** As minih264 writes it for 854x480: one sequence and one picture parameter set. */
const record = Buffer.from('01420016ffe1000a67420016a680d83de6d001000468ce0bc8', 'hex');

test('contains no start codes', () => {
  // Shifted by the added bits, this set would contain two zero bytes and a small one.
  const zeros = Buffer.from('01420016ffe1000a674200160000030001a001000468ce0bc8', 'hex');
  const done = completed(zeros, { level: 30 });
  const length = done.readUInt16BE(6);
  const sequence = done.subarray(8, 8 + length).toString('hex');
  assert.doesNotMatch(sequence, /^(..)*0000(00|01|02)/);
});

test('never overwrites existing color information', () => {
  const described = Buffer.from(record);
  described[17] = 0xf0;
  assert.throws(() => completed(described, { level: 30 }), /already/);
});

test('returns the lowest level for frame size and rate', () => {
  const expected = [
    [854, 480, 24, 30],
    [1280, 720, 24, 31],
    [1920, 1080, 24, 40],
    [3840, 2160, 24, 51],
  ] as const;
  for (const [width, height, rate, level] of expected) {
    assert.equal(levelFor({ width, height }, rate), level, `${width}x${height} at ${rate}`);
  }
});
