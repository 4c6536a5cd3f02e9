import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteServiceDate, serviceNowMs } from './service-clock.ts';

test('follows the clock of the service where the own one goes wrong', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T12:00:00.700Z') });
  noteServiceDate('Sat, 31 Jan 2026 12:00:00 GMT');
  assert.equal(serviceNowMs(), Date.now(), 'a second is the exactness of the header');
  noteServiceDate('Sat, 31 Jan 2026 12:05:00 GMT');
  assert.equal(serviceNowMs() - Date.now(), 299_300);
  for (const nothing of [null, 'soon']) noteServiceDate(nothing);
  assert.equal(serviceNowMs() - Date.now(), 299_300);
  noteServiceDate('Sat, 31 Jan 2026 12:00:01 GMT');
  assert.equal(serviceNowMs(), Date.now());
});
