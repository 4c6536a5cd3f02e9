import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordServiceDate, serviceNowMs } from './service-clock.ts';

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
