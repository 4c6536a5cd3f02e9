import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp } from './list.ts';

test('timestamps are in the years 1 to 9999 of UTC', () => {
  assert.equal(parseTimestamp('0000-06-01T00:00:00Z'), null);
  assert.equal(parseTimestamp('0001-01-01T00:00:00+01:00'), null, 'the year 0 in UTC');
  assert.equal(parseTimestamp('9999-12-31T23:59:59-01:00'), null, 'the year 10000 in UTC');
  assert.ok(parseTimestamp('0001-01-01T00:00:00Z'));
  assert.ok(parseTimestamp('9999-12-31T23:59:59Z'));
  assert.ok(parseTimestamp('99999999999'));
});
