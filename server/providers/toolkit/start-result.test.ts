/** What a response proves about a start, for every adapter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFailure } from '../provider.ts';
import { provesNothingCreated, rejectedStart, throttledStart } from './start-result.ts';

test('takes only redirects and client errors as proof that nothing was created', () => {
  const proofs = [301, 307, 400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 431];
  const doubts = [200, 201, 408, 409, 499, 500, 501, 502, 503, 504, 529];
  for (const status of proofs) assert.ok(provesNothingCreated(status), String(status));
  for (const status of doubts) assert.ok(!provesNothingCreated(status), String(status));
});

test('waits as long as the upstream says, between one second and ten minutes', () => {
  const table: readonly (readonly [Record<string, string>, number])[] = [
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 1],
    [{ 'retry-after': '99999' }, 600],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
    [
      {
        'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT',
        date: 'Wed, 21 Oct 2026 07:27:15 GMT',
      },
      45,
    ],
    [{ 'retry-after': 'Wed, 21 Oct 2020 07:28:00 GMT' }, 1],
    [{ 'retry-after': 'tomorrow' }, 20],
    [{ 'retry-after': '-3' }, 20],
    [{}, 20],
  ];
  for (const [headers, retryAfterSeconds] of table) {
    const response = { kind: 'response', status: 429, headers, json: undefined } as const;
    const expected = { outcome: 'throttled', retryAfterSeconds, detail: 'slow', busy: true };
    assert.deepEqual(throttledStart(response, 'slow', 20), expected);
  }
});

test('lets another provider try unless the content or a file is at fault', () => {
  const canFailOver = (reason: ProviderFailure['reason']) =>
    rejectedStart({ reason, detail: '' }).canFailOver;
  assert.deepEqual((['failed', 'timed_out', 'rejected', 'material'] as const).map(canFailOver), [
    true,
    true,
    false,
    false,
  ]);
});
