/** The filters of lists, in URLs and as API queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageSearch, queryOf, readFilters } from './search-params.ts';

const filters = { q: {}, has_tasks: { options: { true: 'With tasks' } }, from: {}, until: {} };

test('keeps valid parameters of the page as texts and drops the rest', () => {
  const search = { q: 5, has_tasks: true, from: '2026-01-30', until: '2026-01-31' };
  const values = { q: '5', has_tasks: 'true', from: '2026-01-30', until: '2026-01-31' };
  assert.deepEqual(readFilters(search, filters), values);
  const wrong = { q: '', has_tasks: 'maybe', from: 'Jan 1', until: '2026-13-99', status: 'open' };
  assert.deepEqual(readFilters(wrong, filters), {});
  assert.deepEqual(pageSearch({ status: 'open', other: 'x', q: ['x'] } as never), {
    status: 'open',
  });
});

test('includes both days of a range in the query', () => {
  assert.deepEqual(queryOf({ status: 'failed', from: '2026-01-30', until: '2026-01-31' }), {
    status: 'failed',
    created_after: '2026-01-30T00:00:00Z',
    created_before: '2026-02-01T00:00:00Z',
  });
});
