/** What is counted by which labels, and that their number is bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMeasurements } from './measurements.ts';

const createdAt = new Date(1_700_000_000_000);
const endedAfter = (seconds: number, model = 'vidgen-2-5') => ({
  model,
  status: 'completed',
  mode: 'live',
  billingStatus: 'charged',
  credits: 40,
  createdAt,
  submittedAt: new Date(createdAt.getTime() + 500),
  finishedAt: new Date(createdAt.getTime() + seconds * 1000),
});

test('labels that grow without end are counted together', async () => {
  const measurements = createMeasurements();
  for (let at = 0; at < 10_000; at++) measurements.countTask(endedAfter(1), `provider-${at}`);
  const text = await measurements.registry.metrics();
  const counts = text.match(/^vidgen_task_seconds_count.*$/gm) ?? [];
  assert.equal(counts.length, 201);
  assert.ok(counts.some((line) => line.includes('provider="other"') && line.endsWith(' 9800')));
});
