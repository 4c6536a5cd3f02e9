/** What an error proves about a start, and which failure it becomes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { failureFor, parseStartResult, readError } from './errors.ts';

const responseOf = (status: number, json: unknown): UpstreamResponse => ({
  ...{ kind: 'response', headers: {} },
  status,
  json,
});

const refused = (reason: 'failed' | 'rejected' | 'material') => ({
  outcome: 'rejected',
  reason,
  canFailOver: reason === 'failed',
});
const detail = (text: string) => ({ detail: text });
const badDuration = detail('- input.duration: Must be less than or equal to 15\n');
const starts: readonly (readonly [string, number, unknown, object])[] = [
  ['a server error', 500, detail('Internal server error'), { outcome: 'unknown' }],
  ['the wrong token', 401, detail('Unauthenticated'), refused('failed')],
  ['no credit', 402, { title: 'Insufficient credit' }, refused('failed')],
  ['no such model', 404, detail('not found'), refused('failed')],
  ['too fast', 429, undefined, { outcome: 'throttled', retryAfterSeconds: 30 }],
  ['an input it dislikes', 422, badDuration, refused('failed')],
  ['flagged input', 422, detail('The input was flagged as sensitive (E005)'), refused('rejected')],
  ['a bad image', 422, detail('Could not download image from the given URL'), refused('material')],
];

for (const [why, status, json, expected] of starts) {
  test(`a start with ${why} is ${JSON.stringify(expected)}`, () => {
    const result = parseStartResult(responseOf(status, json), { materials: true });
    assert.partialDeepStrictEqual(result, expected, JSON.stringify(result));
  });
}

const failures: readonly (readonly [error: string | undefined, reason: string, detail: RegExp])[] =
  [
    ['Input flagged as sensitive (E005)', 'rejected', /^Input flagged/],
    ['NSFW content detected. Try another prompt.', 'rejected', /NSFW/],
    ['Prediction interrupted; please retry (code: PA)', 'failed', /code: PA/],
    ['Failed to load the safety checker', 'failed', /safety checker/],
    ['Timeout starting prediction (E6716)', 'timed_out', /E6716/],
    ['Failed to download the reference video', 'material', /download/],
    [undefined, 'failed', /^failed without an error$/],
  ];

for (const [error, reason, detail] of failures) {
  test(`a failure with ${JSON.stringify(error ?? null)} is ${reason}`, () => {
    const failure = failureFor(error, { materials: true });
    assert.equal(failure.reason, reason);
    assert.match(failure.detail, detail);
  });
}

test('reports no unusable file when none was sent', () => {
  const failure = failureFor('Failed to download video weights', { materials: false });
  assert.equal(failure.reason, 'failed');
});

test('reads errors of every shape, and only errors', () => {
  const read = (json: unknown) => readError({ json });
  assert.equal(read({ title: 'Bad', detail: 'no' }), 'Bad: no');
  assert.equal(read({ error: 'no' }), 'no');
  for (const malformed of [undefined, null, 'no', 3, [], {}, { detail: 3 }]) {
    assert.equal(read(malformed), undefined, JSON.stringify(malformed));
  }
});
