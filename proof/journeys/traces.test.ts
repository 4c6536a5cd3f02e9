/**
 * One task is one trace, from the create over provider and storage to the webhook, without anything
 * that a customer wrote; and a collector that is down changes nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceIds } from '../../server/telemetry/traces.ts';
import { reservePort } from '../faults/service-process.ts';
import { startCollector } from '../kit/collector.ts';
import { startJourney, textToVideo } from '../kit/journey.ts';
import { waitUntil } from '../kit/wait-until.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function runTask(endpoint: string) {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const journey = await startJourney({ environment });
  const { service, receiver } = journey;
  const account = await service.account({ live: 100 });
  const request = { ...textToVideo, callback_url: receiver.url };
  const { body } = await account.client.create(request, { traceparent });
  const taskId = body.taskId as string;
  assert.equal((await account.client.final(taskId)).status, 'completed');
  await receiver.waitForWebhooks(1);
  return { journey, taskId };
}

test('a task is one trace with its root, and has no prompt and no URL', async () => {
  await using collector = await startCollector();
  const { journey, taskId } = await runTask(collector.origin);
  await using open = journey;
  const { trace, root } = traceIds(taskId);
  const names = () =>
    collector.spans.filter((one) => one.traceId === trace).map(({ name }) => name);
  await waitUntil(() => names().includes('webhook') && names().includes('task'));
  const create = 'POST /v1/videos/generations';
  for (const name of [create, 'submit', 'poll', 'collect', 'settle']) {
    assert.ok(names().includes(name), `${name} is missing in ${names()}`);
  }
  for (const span of collector.spans) {
    assert.equal(span.traceId, trace);
    assert.equal(span.parentSpanId, span.name === 'task' ? undefined : root);
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), span.name);
  }
  assert.equal(names().filter((name) => name === 'task').length, 1);
  const request = collector.spans.find(({ name }) => name === create);
  assert.match(JSON.stringify(request?.links), /0af7651916cd43dd8448eb211c80319c/);
  const sent = collector.requests.map(({ text }) => text).join('\n');
  for (const secret of [textToVideo.input.prompt, open.receiver.url, open.service.url, '://']) {
    assert.ok(!sent.includes(secret), secret);
  }
});

test('without a collector the task completes, and its spans are counted as dropped', async () => {
  const { journey } = await runTask(`http://127.0.0.1:${await reservePort()}`);
  await using open = journey;
  await waitUntil(async () => {
    const text = await (await fetch(`${open.service.url}/metrics`)).text();
    return Number(/^vidgen_trace_spans_dropped (\d+)$/m.exec(text)?.[1]) >= 5;
  });
  await open.service.assertInvariants();
});
