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

test('counts an ended task, its seconds and its credits', async () => {
  const measurements = createMeasurements();
  for (const seconds of [0.5, 4, 100_000]) measurements.countTask(endedAfter(seconds), 'ark');
  const text = await measurements.registry.metrics();
  const series = 'model="vidgen-2-5",provider="ark",status="completed"';
  const figure = (name: string, labels: string) =>
    text.split(`${name}{${labels}} `)[1]?.split('\n')[0];
  assert.match(text, /^# TYPE vidgen_task_seconds histogram$/m);
  for (const [bucket, count] of Object.entries({ 1: 1, 2: 1, 5: 2, 7200: 2, '+Inf': 3 })) {
    assert.equal(figure('vidgen_task_seconds_bucket', `le="${bucket}",${series}`), String(count));
  }
  assert.equal(figure('vidgen_task_seconds_count', series), '3');
  assert.equal(figure('vidgen_task_seconds_sum', series), '100004.5');
  assert.equal(figure('vidgen_credits_total', 'kind="charge",mode="live"'), '120');
});

test('labels that grow without end are counted together', async () => {
  const measurements = createMeasurements();
  for (let at = 0; at < 10_000; at++) measurements.countTask(endedAfter(1), `provider-${at}`);
  const text = await measurements.registry.metrics();
  const counts = text.match(/^vidgen_task_seconds_count.*$/gm) ?? [];
  assert.equal(counts.length, 201);
  assert.ok(counts.some((line) => line.includes('provider="other"') && line.endsWith(' 9800')));
});

test('webhooks are counted by what came back', async () => {
  const measurements = createMeasurements();
  const sent = { delivered: false, durationMs: 20, responseStatus: null, error: null };
  measurements.countWebhook({ ...sent, delivered: true, responseStatus: 204 });
  measurements.countWebhook({ ...sent, responseStatus: 503 });
  measurements.countWebhook({ ...sent, error: 'timeout' });
  const text = await measurements.registry.metrics();
  for (const outcome of ['delivered', '5xx', 'timeout']) {
    assert.ok(text.includes(`vidgen_webhook_seconds_count{outcome="${outcome}"} 1`));
  }
});
