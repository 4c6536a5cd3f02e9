/**
 * A provider whose polls fail after it accepted a task: polls are repeated, the generation is
 * started once, and the deadline ends the task.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModelArk } from '../../../server/providers/modelark/modelark.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import { balanceOf, startJourney, textToVideo } from '../../kit/journey.ts';
import { documentedError } from '../../kit/modelark/errors.ts';
import { FakeModelArk, fakeModels, type ModelArkFault } from '../../kit/modelark/fake.ts';

const serverError: ModelArkFault = {
  work: 'not-done',
  response: documentedError('InternalServiceError'),
};
const pollFaults: readonly ModelArkFault[] = [serverError, { work: 'not-done', response: 'lose' }];

/** The fake finishes sooner than the real provider. */
function withFastPolls(provider: Provider): Provider {
  return {
    ...provider,
    typicalSeconds: () => 1,
    async status(request) {
      const result = await provider.status(request);
      return result.outcome === 'pending' ? { ...result, pollAfterSeconds: 0.2 } : result;
    },
  };
}

/** Runs one task at a provider whose polls meet these faults. */
async function runTask(
  faults: () => ModelArkFault | undefined,
  environment: Readonly<Record<string, string>> = {},
) {
  const fault: NonNullable<Parameters<typeof FakeModelArk.start>[0]>['fault'] = (operation) =>
    operation === 'get' || operation === 'list' ? faults() : undefined;
  await using fake = await FakeModelArk.start({ automatic: true, listPerSecond: 0, fault });
  const { baseUrl, apiKey } = fake;
  const ark = createModelArk({
    name: 'ark',
    baseUrl,
    apiKey: () => apiKey,
    models: fakeModels,
    getPerSecond: 100,
    listPerSecond: 100,
  });
  const file = { routes: { [textToVideo.model]: ['ark'] } };
  const { service, close } = await startJourney({
    providers: { ark: withFastPolls(ark) },
    file,
    environment,
  });
  try {
    const account = await service.account({ live: 100 });
    const { body } = await account.client.create(textToVideo);
    const task = await account.client.final(body.taskId as string);
    const { live } = await balanceOf(service, account.id);
    await service.assertInvariants();
    return { task, available: live.available, generations: fake.tasks().length };
  } finally {
    await close();
  }
}

test('repeats polls that return 500 or reset, and charges once', async () => {
  const waiting = [...pollFaults];
  const { task, available, generations } = await runTask(() => waiting.shift());
  assert.deepEqual(waiting, []);
  assert.equal(task.status, 'completed');
  assert.equal(available, 100 - task.credits);
  assert.equal(generations, 1);
});

test('times out and refunds when polls never succeed', async () => {
  const { task, available, generations } = await runTask(() => serverError, {
    VIDGEN_TASK_TIMEOUT: '8s',
  });
  assert.equal(task.failed_reason, 'timed_out');
  assert.equal(available, 100);
  assert.equal(generations, 1);
});
