/** What a read says about an operation, for every adapter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusResult } from '../provider.ts';
import type { ReadResult } from './client.ts';
import { pending, toStatusResult } from './status-result.ts';

const response = (status: number, headers: Record<string, string> = {}): ReadResult => ({
  kind: 'response',
  status,
  headers,
  json: {},
});

const read = (result: ReadResult, signal = new AbortController().signal): StatusResult =>
  toStatusResult(result, {
    detail: ({ status }) => `HTTP ${status}`,
    isNotFound: ({ status }) => status === 404,
    signal,
    success: () => pending(1),
  });

test('keeps an operation pending whenever it cannot be read', () => {
  const alert = (message: string) => ({ ...pending(15), alert: message });
  const table: readonly (readonly [ReadResult, StatusResult])[] = [
    [response(200), pending(1)],
    [response(404), { outcome: 'lost', detail: 'HTTP 404' }],
    [response(500), alert('HTTP 500')],
    [response(401), alert('HTTP 401')],
    [response(429), pending(15)],
    [response(429, { 'retry-after': '7' }), pending(15)],
    [response(429, { 'retry-after': '90' }), pending(90)],
    [{ kind: 'lost', detail: 'reset' }, alert('reset')],
    [{ kind: 'unsent', detail: 'refused' }, alert('refused')],
    [
      { kind: 'throttled', waitSeconds: 3 },
      { ...pending(3), isUnread: true },
    ],
  ];
  for (const [result, expected] of table) assert.deepEqual(read(result), expected);
});

test('reports nothing for a read that its caller aborted', () => {
  assert.deepEqual(read({ kind: 'lost', detail: 'aborted' }, AbortSignal.abort()), pending(15));
});
