import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { recordServiceDate, serviceNowMs } from '../api/service-clock.ts';
import { formatRelative } from './clock.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const after = (seconds: number) => formatRelative(new Date(now + seconds * 1000), now);

test('formats times relative to now', () => {
  assert.equal(after(0), 'just now');
  assert.equal(after(-35), '30 seconds ago');
  assert.equal(after(-60), '1 minute ago');
  assert.equal(after(-3 * 3600), '3 hours ago');
  assert.equal(after(-86_400), 'yesterday');
  assert.equal(after(30), 'in a moment');
  assert.equal(after(150), 'in 2 minutes');
  assert.equal(after(-20 * 86_400), 'Jan 11, 2026');
});

test('never shows a past time as future, even when the clocks differ slightly', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 14 * 86_400, noNaN: true }), (seconds) => {
      assert.doesNotMatch(after(1.9 - seconds), /^in |tomorrow/);
    }),
  );
});

test('follows the service’s clock when the local clock is wrong', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T12:00:00.700Z') });
  recordServiceDate('Sat, 31 Jan 2026 12:00:00 GMT');
  assert.equal(serviceNowMs(), Date.now(), 'a second is the exactness of the header');
  recordServiceDate('Sat, 31 Jan 2026 12:05:00 GMT');
  assert.equal(serviceNowMs() - Date.now(), 299_300);
  for (const invalid of [null, 'soon']) recordServiceDate(invalid);
  assert.equal(serviceNowMs() - Date.now(), 299_300);
  recordServiceDate('Sat, 31 Jan 2026 12:00:01 GMT');
  assert.equal(serviceNowMs(), Date.now());
});
