/** The filters of task lists, in URLs and as API queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTasksSearch, type TasksSearch, taskQueryOf } from './tasks-search.ts';

const whole: TasksSearch = {
  status: 'failed',
  billing: 'refunded',
  reason: 'timed_out',
  model: 'vidgen-2-0',
  key: 'key_1',
  from: '2026-01-30',
  until: '2026-01-31',
};

test('keeps valid parameters and drops the rest', () => {
  assert.deepEqual(readTasksSearch(whole), whole);
  const wrong = { status: 'done', model: 'other', key: '', from: 'yesterday', until: '2026-13-99' };
  assert.deepEqual(readTasksSearch(wrong as never), {});
});

test('includes both days of a range', () => {
  assert.deepEqual(taskQueryOf(whole), {
    status: 'failed',
    billing_status: 'refunded',
    failed_reason: 'timed_out',
    model: 'vidgen-2-0',
    key_id: 'key_1',
    created_after: '2026-01-30T00:00:00Z',
    created_before: '2026-02-01T00:00:00Z',
  });
  assert.deepEqual(taskQueryOf({}), {});
});
