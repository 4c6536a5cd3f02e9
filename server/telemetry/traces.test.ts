/** The exporter: IDs that every process agrees on, a bounded buffer, and drops that are counted. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { reservePort } from '../../proof/faults/service-process.ts';
import { type CollectedSpan, startCollector } from '../../proof/kit/collector.ts';
import { createLog } from './log.ts';
import { createTraces, traceIds } from './traces.ts';

const log = createLog('silent');
const optionsFor = (origin: string) => ({
  url: `${origin}/v1/traces`,
  headers: { 'x-token': 'token' },
  service: 'test',
  ratio: 1,
  log,
});
const span = { name: 'poll', startMs: 1_700_000_000_000.25, endMs: 1_700_000_000_007 };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('two processes add to one trace, below one root', async () => {
  await using collector = await startCollector();
  const [api, worker] = [1, 2].map(() => createTraces(optionsFor(collector.origin)));
  api!.noteTask('req_1', 'task_1');
  api!.endRequest('req_1', { ...span, name: 'POST /x', kind: 'server', traceparent });
  api!.endRequest('req_2', { ...span, name: 'a request without a task' });
  worker!.add({ ...span, taskId: 'task_1', kind: 'client', attributes: { provider: 'ark' } });
  worker!.add({ ...span, taskId: 'task_1', name: 'task', isRoot: true, isError: true });
  await Promise.all([api!.close(), worker!.close()]);
  const byName = new Map(collector.spans.map((one) => [one.name, one] as const));
  assert.deepEqual([...byName.keys()].sort(), ['POST /x', 'poll', 'task']);
  const { trace, root } = traceIds('task_1');
  for (const one of collector.spans) assert.equal(one.traceId, trace);
  assert.equal(byName.get('task')?.spanId, root);
  assert.equal(byName.get('task')?.parentSpanId, undefined);
  for (const name of ['POST /x', 'poll']) assert.equal(byName.get(name)?.parentSpanId, root);
  const poll = byName.get('poll') as CollectedSpan;
  assert.equal(poll.startTimeUnixNano, '1700000000000250000');
  assert.deepEqual(poll.attributes, [
    { key: 'vidgen.task_id', value: { stringValue: 'task_1' } },
    { key: 'provider', value: { stringValue: 'ark' } },
  ]);
  const { links } = byName.get('POST /x') as CollectedSpan;
  assert.deepEqual(links, [
    { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' },
  ]);
  assert.equal(collector.requests[0]?.headers['x-token'], 'token');
});

test('a traceparent that is not one is not linked', async () => {
  await using collector = await startCollector();
  const traces = createTraces(optionsFor(collector.origin));
  const wrong = ['', 'x'.repeat(1e6), traceparent.replace('00-', 'ff-'), `00-${'0'.repeat(32)}-1`];
  for (const text of wrong) traces.add({ ...span, taskId: 'task_1', traceparent: text });
  await traces.close();
  assert.deepEqual(new Set(collector.spans.map(({ links }) => links)), new Set([undefined]));
});

test('spans are dropped and counted while no collector listens, in bounded memory', async () => {
  const traces = createTraces(optionsFor(`http://127.0.0.1:${await reservePort()}`));
  for (let at = 0; at < 20_000; at++) traces.add({ ...span, taskId: `task_${at}` });
  assert.ok(traces.dropped() >= 17_000, String(traces.dropped()));
  await traces.close();
  assert.equal(traces.dropped(), 20_000);
});

test('a collector that rejects or never responds does not hold up the stop', async () => {
  await using collector = await startCollector();
  collector.respond((response) => void response.writeHead(503).end());
  const rejected = createTraces(optionsFor(collector.origin));
  rejected.add({ ...span, taskId: 'task_1' });
  await rejected.close();
  assert.equal(rejected.dropped(), 1);
  const asked = once(collector.events, 'request');
  collector.respond(() => {});
  const silent = createTraces(optionsFor(collector.origin));
  silent.add({ ...span, taskId: 'task_1' });
  await silent.close();
  await asked;
});

test('the same share of tasks is traced in every process', async () => {
  await using collector = await startCollector();
  const options = { ...optionsFor(collector.origin), ratio: 0.25 };
  for (const traces of [createTraces(options), createTraces(options)]) {
    for (let at = 0; at < 400; at++) traces.add({ ...span, taskId: `task_${at}` });
    await traces.close();
  }
  const traced = new Set(collector.spans.map(({ traceId }) => traceId));
  assert.equal(collector.spans.length, traced.size * 2);
  assert.ok(traced.size > 60 && traced.size < 140, String(traced.size));
});
