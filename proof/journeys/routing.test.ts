/**
 * A provider never has more tasks than its limit, and one that cannot be reached is skipped,
 * reported, and tried again.
 * Thorough: `providers/registry.test.ts` and `lifecycle/submit.test.ts` are in every run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import { sleep } from '../../server/process/clock.ts';
import type { Provider } from '../../server/providers/provider.ts';
import { attemptsOf, createTask, useJourney } from '../kit/journey.ts';
import { createScriptedProvider } from '../kit/scripted-provider.ts';

const slots = { taken: 0, most: 0 };
let isFailing = true;

/** Counts the tasks between their start and their end. */
function counted(provider: Provider): Provider {
  return {
    ...provider,
    async start(request) {
      slots.most = Math.max(slots.most, ++slots.taken);
      return await provider.start(request);
    },
    async status(request) {
      const result = await provider.status(request);
      if (result.outcome !== 'pending') slots.taken -= 1;
      return result;
    },
  };
}

/** Refuses connections while `isFailing`. */
function sometimesFailing(provider: Provider): Provider {
  const unreached = { retryAfterSeconds: 1, detail: 'not connected', unreachable: true } as const;
  return {
    ...provider,
    start: async (request) =>
      isFailing ? { outcome: 'throttled', ...unreached } : await provider.start(request),
  };
}

const journey = await useJourney({
  providers: {
    narrow: counted(createScriptedProvider({ name: 'narrow' })),
    ill: sometimesFailing(createScriptedProvider({ name: 'ill' })),
    second: createScriptedProvider({ name: 'second' }),
  },
  limits: { narrow: { concurrency: 2 } },
  file: { routes: { 'vidgen-2-5': ['ill', 'second'], 'vidgen-2-0-fast': ['narrow'] } },
});

test('a provider never has more tasks at once than its limit', async () => {
  const tasks = await Promise.all(
    Array.from({ length: 7 }, () => createTask(journey.service, { model: 'vidgen-2-0-fast' })),
  );
  for (const { final } of tasks) assert.equal((await final()).status, 'completed');
  assert.ok(slots.most <= 2, `${slots.most} at once`);
});

test('an unhealthy provider is skipped, reported, and tried again later', async () => {
  const finished = async () => {
    const { taskId, final } = await createTask(journey.service, { model: 'vidgen-2-5' });
    assert.equal((await final()).status, 'completed');
    return (await attemptsOf(journey.service, taskId)).map(([provider]) => provider);
  };
  let attempted = await finished();
  assert.deepEqual(attempted, ['ill', 'second']);
  while (attempted[0] === 'ill') attempted = await finished();
  assert.deepEqual(attempted, ['second'], 'the unhealthy provider is not called');
  const { body } = await journey.service.admin.get('/admin/providers');
  const shown = ListProvidersResponse.parse(body).items.find(({ name }) => name === 'ill')!;
  assert.notEqual(shown.breaker, 'closed');
  assert.ok(shown.starts.throttled >= 5);
  assert.equal(shown.last_trouble?.detail, 'not connected');
  const metrics = await (await fetch(`${journey.service.url}/metrics`)).text();
  assert.match(metrics, /vidgen_provider_breaker_open\{provider="ill"\} /);
  assert.match(metrics, /vidgen_provider_breaker_open\{provider="narrow"\} 0/);
  isFailing = false;
  while ((await finished())[0] !== 'ill') await sleep(200);
  assert.deepEqual(await finished(), ['ill'], 'one success closes the breaker');
});
