/**
 * Which provider makes a task: order, failover on proof, limits, credentials and callbacks.
 * Thorough: `providers/registry.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import { sleep } from '../../server/process/clock.ts';
import type { Provider, StartRequest } from '../../server/providers/provider.ts';
import { attemptsOf, createTask, startJourney } from '../kit/journey.ts';
import {
  createScriptedProvider,
  type Script,
  type ScriptedProvider,
} from '../kit/scripted-provider.ts';
import { waitUntil } from '../kit/wait-until.ts';

type Name = 'first' | 'second' | 'narrow' | 'signed' | 'ill';
/** Resolved when the key of a task is no longer its provider's first. */
const rotated = Promise.withResolvers<void>();
const waited = Promise.withResolvers<void>();
const scripts: Readonly<Record<string, Partial<Record<Name, Script>>>> = {
  'busy, then taken': { first: { start: ['throttled'] } },
  'lost, reported by a callback': {
    signed: { start: ['lost'], find: [{ outcome: 'unknown', detail: 'unknown' }] },
  },
  'with an older key': {
    narrow: { status: [{ step: 'pending', until: rotated.promise }, 'completed'] },
  },
  'until the end of the wait': {
    narrow: { status: [{ step: 'pending', until: waited.promise }, 'completed'] },
  },
};

const callbacks: string[] = [];
const keysUsed: string[] = [];
let isFailing = true;
const slots = { taken: 0, most: 0 };

const make = (name: Name): ScriptedProvider =>
  createScriptedProvider({
    name,
    script: ({ generation }: StartRequest): Script => scripts[generation.prompt]?.[name] ?? {},
  });
const providers = {
  first: make('first'),
  second: make('second'),
  narrow: make('narrow'),
  signed: make('signed'),
  ill: make('ill'),
};
const journey = await startJourney({
  environment: { VIDGEN_PUBLIC_URL: 'https://videos.example.test' },
  providers: {
    ...providers,
    narrow: ['NEW_KEY', 'OLD_KEY'].map((key) => keyed(counted(providers.narrow), key)),
    ill: sometimesFailing(providers.ill),
    signed: signing(providers.signed),
  },
  limits: { narrow: { concurrency: 2 } },
  file: {
    routes: {
      'vidgen-2-5': ['ill', 'second'],
      'vidgen-2-0': ['first', 'second'],
      'vidgen-2-0-fast': ['narrow'],
      'vidgen-2-0-mini': ['signed'],
    },
  },
});
after(async () => {
  for (const provider of Object.values(providers)) assert.deepEqual(provider.startedTwice(), []);
  await journey.service.assertInvariants();
  await journey.close();
});

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

/** Records the key of each poll. */
function keyed(provider: Provider, credential: string): Provider {
  return {
    ...provider,
    credential,
    async status(request) {
      if (request.generation.prompt === 'with an older key') keysUsed.push(credential);
      return await provider.status(request);
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

/** Accepts a callback with the right signature header, and reads the operation from its body. */
function signing(provider: Provider): Provider {
  return {
    ...provider,
    async readCallback({ headers, body }) {
      callbacks.push(body.toString());
      if (headers['x-signature'] !== 'right')
        return { outcome: 'invalid_signature', detail: 'signature' };
      return { outcome: 'hint', operation: body.toString() };
    },
  };
}

const run = (prompt: string, model: string) =>
  createTask(journey.service, { model, input: { prompt } });

test('a task that the first provider throttles is made by the second, charged once', async () => {
  const { final, taskId, credits, available } = await run('busy, then taken', 'vidgen-2-0');
  assert.equal((await final()).status, 'completed');
  assert.deepEqual(await attemptsOf(journey.service, taskId), [
    ['first', 'throttled'],
    ['second', 'completed'],
  ]);
  assert.equal(await available(), 100 - credits);
});

test('a provider never has more tasks at once than its limit', async () => {
  const tasks = await Promise.all(
    Array.from({ length: 7 }, () => run('one of several', 'vidgen-2-0-fast')),
  );
  for (const { final } of tasks) assert.equal((await final()).status, 'completed');
  assert.ok(slots.most <= 2, `${slots.most} at once`);
});

test('a task waits for a slot without running, and starts when one is free', async () => {
  const held = [
    await run('until the end of the wait', 'vidgen-2-0-fast'),
    await run('until the end of the wait', 'vidgen-2-0-fast'),
  ];
  for (const { client, taskId } of held) {
    await waitUntil(async () => (await client.task(taskId)).status === 'generating');
  }
  const { taskId, final } = await run('waits', 'vidgen-2-0-fast');
  const waiting = async () => {
    const { rows } = await journey.service.db.query<{ fence: number; isFarOff: boolean }>(
      `select fence, run_at > now() + interval '1 minute' as "isFarOff" from jobs
       where task_id = $1 and waits_for = '{narrow vidgen-2-0-fast}' and lease_until is null`,
      [taskId],
    );
    return rows[0];
  };
  await waitUntil(async () => (await waiting()) !== undefined);
  const before = await waiting();
  assert.ok(before?.isFarOff);
  // Other tasks run meanwhile.
  assert.equal((await (await run('meanwhile', 'vidgen-2-0')).final()).status, 'completed');
  assert.deepEqual(await waiting(), before);
  waited.resolve();
  assert.equal((await final()).status, 'completed');
  for (const one of held) assert.equal((await one.final()).status, 'completed');
});

test('a task is polled with the key it started with, not with the newest', async () => {
  const { taskId, final } = await run('with an older key', 'vidgen-2-0-fast');
  await waitUntil(() => keysUsed.length > 0);
  // The attempt's key after the operator has put another key first.
  const { rows } = await journey.service.db.query<{ before: string }>(
    `update attempts set credential = 'OLD_KEY' where task_id = $1
     returning (select credential from attempts where task_id = $1) as before`,
    [taskId],
  );
  rotated.resolve();
  assert.equal((await final()).status, 'completed');
  assert.deepEqual([rows[0]!.before, ...keysUsed], ['NEW_KEY', 'NEW_KEY', 'OLD_KEY']);
});

test('an unhealthy provider is skipped, reported, and tried again later', async () => {
  const finished = async () => {
    const { taskId, final } = await run('any healthy provider', 'vidgen-2-5');
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
  isFailing = false;
  while ((await finished())[0] !== 'ill') await sleep(200);
  assert.deepEqual(await finished(), ['ill'], 'one success closes the breaker');
});

test('a callback recovers a lost operation; a forged one has no effect', async () => {
  const { client, taskId, final } = await run('lost, reported by a callback', 'vidgen-2-0-mini');
  await providers.signed.waitForCall('find');
  const { reference, start } = providers.signed.calls.find(({ kind }) => kind === 'start')!;
  const callbackUrl = new URL(start!.providerCallbackUrl!);
  assert.equal(callbackUrl.pathname, `/callbacks/signed/${reference}`);
  const operation = 'signed-operation-1';
  const sendCallback = async (path: string, signature: string) => {
    const response = await fetch(`${journey.service.url}${path}`, {
      method: 'POST',
      headers: { 'x-signature': signature },
      body: operation,
    });
    assert.equal(response.status, 204);
  };
  await sendCallback(callbackUrl.pathname, 'wrong');
  await sendCallback(callbackUrl.pathname.replace('signed', 'first'), 'right');
  assert.equal((await client.task(taskId)).status, 'queued');
  for (let time = 0; time < 3; time += 1) await sendCallback(callbackUrl.pathname, 'right');
  assert.equal((await final()).status, 'completed');
  const before = callbacks.length;
  await sendCallback(callbackUrl.pathname, 'right');
  assert.equal(callbacks.length, before, 'a late callback is not read');
});

test('the admin API reports the health of each provider', async () => {
  const response = await journey.service.admin.get('/admin/providers');
  const { items } = ListProvidersResponse.parse(response.body);
  const narrow = items.find(({ name }) => name === 'narrow')!;
  assert.deepEqual([narrow.breaker, narrow.concurrency, narrow.open_tasks], ['closed', 2, 0]);
  assert.deepEqual(narrow.models, ['vidgen-2-0-fast']);
  assert.ok(items.find(({ name }) => name === 'first')!.starts.throttled >= 1);
  const metrics = await (await fetch(`${journey.service.url}/metrics`)).text();
  assert.match(metrics, /vidgen_provider_breaker_open\{provider="narrow"\} 0/);
});
