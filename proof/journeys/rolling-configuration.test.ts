/**
 * Processes that know different providers, as during a rolling change of the configuration: a task
 * is left to a process that knows its provider, and fails only when no live process does.
 * Thorough: starts several processes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigFile } from '../../server/config/config-file.ts';
import type { CancelResult } from '../../server/providers/provider.ts';
import { attemptsOf, createTask, textToVideo, useJourney } from '../kit/journey.ts';
import { createScriptedProvider, type StatusStep } from '../kit/scripted-provider.ts';
import { composeSecond } from '../kit/second-process.ts';
import { waitUntil } from '../kit/wait-until.ts';

const pending: StatusStep = { outcome: 'pending', pollAfterSeconds: 0.2 };
const script = { status: [pending, pending, 'completed'] } as const;

/** Only the newer configuration file has it. */
const kite = 'kite-7';
const models: ConfigFile['models'] = {
  [kite]: {
    generationTypes: ['text-to-video'],
    seconds: [5],
    resolutions: { '360p': { perTask: 25 } },
  },
};
const routes = { [kite]: ['scripted'], [textToVideo.model]: ['scripted'] };

const { service } = await useJourney({
  environment: { VIDGEN_ROLE: 'api' },
  file: { models, routes },
});

/** A worker that has the provider of the route, or an older configuration without it. */
const workerWith = (...names: readonly string[]) => {
  const providers = names.map((name) => createScriptedProvider({ name, script }));
  const routes = { [textToVideo.model]: names.filter((name) => name === 'scripted') };
  return composeSecond(service, {
    providers: Object.fromEntries(providers.map((provider) => [provider.name, provider])),
    file: { routes },
  });
};

/** Waits until a worker has claimed the job and given it back. */
const waitUntilClaimed = (taskId: string, times: number) =>
  waitUntil(async () => {
    const { rows } = await service.db.query<{ fence: number }>(
      "select fence from jobs where task_id = $1 and kind in ('submit', 'poll')",
      [taskId],
    );
    // No job is left when the task has failed.
    return (rows[0]?.fence ?? times) >= times;
  });

test('leaves a queued task to a process that has a provider for it', async () => {
  await using knowing = await workerWith('scripted');
  await using older = await workerWith('other');
  const { taskId, client, final } = await createTask(service);
  await older.worker!.start();
  await waitUntilClaimed(taskId, 2);
  assert.equal((await client.task(taskId)).status, 'queued');
  await knowing.worker!.start();
  assert.equal((await final()).status, 'completed');
  assert.deepEqual(await attemptsOf(service, taskId), [['scripted', 'completed']]);
});

test('leaves a task of a model that it does not know to a process that does', async () => {
  const providers = { scripted: createScriptedProvider({ name: 'scripted', script }) };
  await using older = await composeSecond(service, { providers });
  await using newer = await composeSecond(service, { providers, file: { models, routes } });
  const input = { resolution: '360p' };
  const { taskId, client, final, credits } = await createTask(service, { model: kite, input });
  await older.worker!.start();
  await waitUntilClaimed(taskId, 2);
  assert.equal((await client.task(taskId)).status, 'queued');
  await newer.worker!.start();
  assert.equal((await final()).status, 'completed');
  assert.equal(credits, 25);
});

test('a preview of a model is made by a process that does not know it', async () => {
  await using older = await composeSecond(service, { providers: {}, file: {} });
  await older.worker!.start();
  const { client } = await service.account({ mode: 'test', test: 100 });
  const { status, body } = await client.create({ model: kite, input: { prompt: 'A kite' } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await client.final(String(body.taskId))).status, 'completed');
});

for (const isOnlyProcess of [false, true]) {
  const when = isOnlyProcess ? 'at once, if no other can be live' : 'after three minutes';
  test(`fails a task when no live process knows its provider any more: ${when}`, async () => {
    const knowing = await workerWith('scripted');
    const { taskId, client, final, available } = await createTask(service);
    await knowing.worker!.start();
    await waitUntil(async () => (await client.task(taskId)).status === 'generating');
    await knowing.close();
    const age = `update processes set seen_at = now() - interval '181 seconds'`;
    if (!isOnlyProcess) await service.db.query(age);
    await using older = await composeSecond(service, { providers: {}, isOnlyProcess });
    await older.worker!.start();
    assert.equal((await final()).failed_reason, 'provider_failed');
    assert.equal(await available(), 100);
  });
}

/** A task that only a worker knows the provider of, generating. */
async function generatingElsewhere(cancel: CancelResult) {
  const fresh = createScriptedProvider({
    name: 'fresh',
    script: { status: [{ outcome: 'pending', pollAfterSeconds: 600 }], cancel: [cancel] },
  });
  const file = { routes: { [textToVideo.model]: ['fresh'] } };
  const worker = await composeSecond(service, { providers: { fresh }, file });
  await worker.worker!.start();
  const task = await createTask(service);
  await waitUntil(async () => (await task.client.task(task.taskId)).status === 'generating');
  await fresh.waitForCall('status');
  return { ...task, fresh, worker };
}

test('cancels at a provider that only a worker has, when asked at another process', async () => {
  const { worker, fresh, client, taskId, available } = await generatingElsewhere('stopped');
  await using _ = worker;
  const { status, body } = await client.post(`/v1/tasks/${taskId}/cancel`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.failed_reason, body.billing_status], ['cancelled', 'refunded']);
  assert.equal(await available(), 100);
  assert.equal(fresh.calls.filter(({ kind }) => kind === 'cancel').length, 1);
});

test('says so when that provider does not stop, and goes on', async () => {
  const { worker, client, taskId } = await generatingElsewhere('running');
  await using _ = worker;
  const { status, body } = await client.post(`/v1/tasks/${taskId}/cancel`);
  assert.equal(status, 400);
  assert.match((body.error as { message: string }).message, /a provider that cannot stop it/);
  assert.equal((await client.task(taskId)).status, 'generating');
});
