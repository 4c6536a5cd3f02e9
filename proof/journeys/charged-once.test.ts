/**
 * Callbacks arrive twice, late, out of order or with a false status, and two workers receive the
 * same completed result. The customer is charged once.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createModelArk } from '../../server/providers/modelark/modelark.ts';
import type { Provider } from '../../server/providers/provider.ts';
import { rescue } from '../../server/queue/rescuer.ts';
import { attemptsOf, createTask, useJourney } from '../kit/journey.ts';
import { FakeModelArk, fakeModels } from '../kit/modelark/fake.ts';
import { waitUntil } from '../kit/wait-until.ts';

const publicUrl = 'https://svc.example.test';

/** While set, a poll that finds a completed task waits before it returns. */
let held: { readonly until: Promise<void>; readonly reached: () => void } | null = null;
let completedResults = 0;

const ark = await FakeModelArk.start();
const { baseUrl, apiKey } = ark;
const arkProvider = createModelArk({
  name: 'ark',
  baseUrl,
  apiKey: () => apiKey,
  models: fakeModels,
});
const journey = await useJourney({
  environment: { VIDGEN_PUBLIC_URL: publicUrl },
  providers: { ark: holding(arkProvider) },
  file: { routes: { 'vidgen-2-0': ['ark'] } },
});
after(() => ark.close());

/** Holds back a completed result on demand, even after the poll was aborted. */
function holding(provider: Provider): Provider {
  return {
    ...provider,
    async status(request) {
      const result = await provider.status({ ...request, signal: new AbortController().signal });
      if (result.outcome !== 'completed') return result;
      const hold = held;
      held = null;
      hold?.reached();
      await hold?.until;
      completedResults += 1;
      return result;
    },
  };
}

/** A task that ModelArk has accepted. */
async function createAccepted(prompt: string) {
  const { service, receiver } = journey;
  const request = { model: 'vidgen-2-0', input: { prompt }, callback_url: receiver.url };
  const task = await createTask(service, request);
  await waitUntil(async () => (await task.client.task(task.taskId)).status === 'generating');
  const {
    id,
    body: arkBody,
    clientRequestId,
  } = ark.started().find((one) => one.body.content[0]?.text === prompt)!;
  const path = arkBody.callback_url!.slice(publicUrl.length);
  return {
    ...task,
    arkId: id,
    /** Sends ModelArk's callback with any status. */
    sendCallback: async (arkStatus: string): Promise<void> => {
      const payload = JSON.stringify({
        id,
        status: arkStatus,
        error: { code: 'InternalServiceError' },
      });
      const response = await fetch(journey.service.url + path, { method: 'POST', body: payload });
      assert.equal(response.status, 204);
    },
    started: () => ark.generations(clientRequestId),
  };
}

async function entriesOf(taskId: string): Promise<string[]> {
  const { rows } = await journey.service.db.query<{ kind: string }>(
    'select kind from ledger_entries where task_id = $1 order by id',
    [taskId],
  );
  return rows.map(({ kind }) => kind);
}

type AcceptedTask = Awaited<ReturnType<typeof createAccepted>>;

async function assertChargedOnce(task: AcceptedTask): Promise<void> {
  assert.deepEqual(await entriesOf(task.taskId), ['reserve', 'charge']);
  assert.equal(await task.available(), 100 - task.credits);
  assert.equal(task.started(), 1);
  assert.deepEqual(await attemptsOf(journey.service, task.taskId), [['ark', 'completed']]);
  const webhookCount = () =>
    journey.receiver.webhooks.filter(({ body }) => body.id === task.taskId).length;
  await waitUntil(() => webhookCount() > 0);
  assert.equal(webhookCount(), 1, 'one webhook is sent');
  await journey.service.assertInvariants();
}

test('charges once when callbacks are repeated, late, out of order or false', async () => {
  const task = await createAccepted('a boat with callbacks');
  await task.sendCallback('failed');
  assert.equal(
    (await task.client.task(task.taskId)).status,
    'generating',
    'a callback alone does not end a task',
  );
  ark.advance(task.arkId, 'running');
  await task.sendCallback('running');
  ark.advance(task.arkId, 'succeeded');
  await Promise.all([
    task.sendCallback('succeeded'),
    task.sendCallback('succeeded'),
    task.sendCallback('running'),
  ]);
  await task.sendCallback('queued');
  const final = await task.client.final(task.taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  for (const late of ['succeeded', 'running', 'failed', 'succeeded']) await task.sendCallback(late);
  assert.deepEqual(await task.client.task(task.taskId), final, 'late callbacks change nothing');
  await assertChargedOnce(task);
});

test('charges once when two workers receive the same completed result', async () => {
  const task = await createAccepted('a boat that is finished twice');
  const release = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  held = { until: release.promise, reached: reached.resolve };
  const before = completedResults;
  ark.advance(task.arkId, 'succeeded');
  await task.sendCallback('succeeded');
  await reached.promise;
  // Simulates a worker that hangs with the result for longer than its lease.
  await journey.service.db.transaction(async (tx) => {
    await tx.query(`update jobs set lease_until = now() - interval '1 minute' where task_id = $1`, [
      task.taskId,
    ]);
    await rescue(tx);
  });
  const final = await task.client.final(task.taskId);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  release.resolve();
  await waitUntil(() => completedResults >= before + 2);
  await assertChargedOnce(task);
  assert.deepEqual(await task.client.task(task.taskId), final);
});

test('refunds a cancelled task, and does not charge it for a late completed result', async () => {
  const task = await createAccepted('a boat that is cancelled');
  const { status, body } = await task.client.post(`/v1/tasks/${task.taskId}/cancel`);
  assert.deepEqual([status, body.failed_reason], [200, 'cancelled'], JSON.stringify(body));
  for (const late of ['succeeded', 'running', 'succeeded']) await task.sendCallback(late);
  assert.equal((await task.client.task(task.taskId)).status, 'failed');
  assert.deepEqual(await entriesOf(task.taskId), ['reserve', 'refund']);
  assert.equal(await task.available(), 100);
});
