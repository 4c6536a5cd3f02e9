/** Query strings: anything that is not clearly an integer or a time is rejected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp } from './list.ts';
import { GetTaskQuery, ListTasksQuery } from './list-tasks.ts';

test('times are Unix seconds or ISO 8601 with a zone', () => {
  const rows: [string, string | null][] = [
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1767225600', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T02:00:00.5+02:00', '2026-01-01T00:00:00.500Z'],
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01', null],
    ['2026-01-01T00:00:00', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-02-30T00:00:00Z', null],
    ['2026-01-01T24:00:00Z', null],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['0000-06-01T00:00:00Z', null],
    ['0001-01-01T00:00:00+01:00', null],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59-01:00', null],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['99999999999', '5138-11-16T09:46:39.000Z'],
    ['-5', null],
    ['1e3', null],
    ['999999999999999', null],
    ['yesterday', null],
    ['', null],
  ];
  for (const [text, iso] of rows) {
    assert.equal(parseTimestamp(text)?.toISOString() ?? null, iso, text);
  }
});

test('a page has 20 items by default and 1 to 100 on request', () => {
  assert.equal(ListTasksQuery.parse({}).limit, 20);
  assert.equal(ListTasksQuery.parse({ limit: '100' }).limit, 100);
  for (const limit of ['0', '101', '-1', '5.5', '1e1', ' 5', '0x5', '']) {
    assert(!ListTasksQuery.safeParse({ limit }).success, limit);
  }
});

test('a list rejects an unknown filter; a single task ignores its query', () => {
  assert(!ListTasksQuery.safeParse({ state: 'failed' }).success);
  assert.deepEqual(GetTaskQuery.parse({ wait: '60', cache: 'no' }), { wait: 60 });
  assert(!GetTaskQuery.safeParse({ wait: '61' }).success);
});
