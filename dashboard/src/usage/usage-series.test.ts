/** The chart data contains every task and every day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsageResponse, UsageRow } from '@vidgen/contract/usage.ts';
import { daysBetween, pointsOf, seriesOf } from './usage-series.ts';

const since = Date.UTC(2026, 0, 30) / 1000;
const until = Date.UTC(2026, 1, 2, 12) / 1000;

const row = (part: Partial<UsageRow>): UsageRow => ({
  day: '2026-01-31',
  model: 'vidgen-2-5',
  resolution: '720p',
  status: 'completed',
  key_id: 'key_a',
  tasks: 1,
  credits: 40,
  ...part,
});

const usage: UsageResponse = {
  since,
  until,
  rows: [
    row({ tasks: 2, credits: 80 }),
    row({ model: 'vidgen-2-0', credits: 10 }),
    row({ day: '2026-02-02', status: 'failed', credits: 0, key_id: 'key_b' }),
  ],
  keys: [
    { id: 'key_a', name: 'shop', last_four: 'aaaa' },
    { id: 'key_b', name: 'shop', last_four: 'bbbb' },
  ],
  times: [],
  failures: [],
  total: { tasks: 4, completed: 3, failed: 1, credits: 90, p50_seconds: 5, p95_seconds: 9 },
};

test('has every day of the span, across the end of a month', () => {
  assert.deepEqual(daysBetween(since, until), [
    '2026-01-30',
    '2026-01-31',
    '2026-02-01',
    '2026-02-02',
  ]);
  assert.deepEqual(daysBetween(since, since), []);
});

test('has the same totals in points and rows', () => {
  for (const by of ['model', 'resolution', 'status', 'key'] as const) {
    for (const measure of ['tasks', 'credits'] as const) {
      const points = pointsOf(usage, by, measure);
      assert.equal(points.length, 4);
      const sum = points
        .flatMap(({ day: _, ...values }) => Object.values(values))
        .reduce<number>((total, value) => total + Number(value), 0);
      assert.equal(sum, usage.total[measure]);
    }
  }
});

test('puts the largest series first and leaves out empty ones', () => {
  assert.deepEqual(seriesOf(usage, 'model', 'credits'), ['vidgen-2-5', 'vidgen-2-0']);
  assert.deepEqual(seriesOf(usage, 'status', 'credits'), ['completed']);
});

test('keeps two keys with the same name apart', () => {
  assert.deepEqual(seriesOf(usage, 'key', 'tasks'), ['shop …aaaa', 'shop …bbbb']);
});
