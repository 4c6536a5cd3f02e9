/**
 * Starts whose responses are lost, refused or throttled never cause two generations for one task.
 * Thorough: repeats the unit tests of submit with real processes.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { attemptsOf, createTask, type Journey, startJourney, textToVideo } from '../kit/journey.ts';
import {
  createScriptedProvider,
  type Script,
  type ScriptedProvider,
} from '../kit/scripted-provider.ts';

/** The prompt selects the provider's script, so that one service runs all cases. */
const scripts: Readonly<Record<string, Script>> = {
  'lost, then found': { start: ['lost', 'accepted'] },
  'lost before it began': { start: ['nothing', 'accepted'] },
  throws: { start: ['throws', 'accepted'] },
  throttled: { start: ['throttled', 'accepted'] },
  busy: { start: ['busy', 'busy', 'accepted'] },
  'lost, then throttled': { start: ['lost', 'throttled', 'accepted'] },
  'lost, then refused': { start: ['lost', 'refused', 'accepted'] },
  'busy, and refused by the next': { start: ['throttled', 'accepted'] },
  'content refused': { start: ['rejected'] },
  refused: { start: ['refused'] },
  'unexpected status': { status: ['paused', 'throws', 'completed'] },
};

describe('a start that goes wrong', { concurrency: true }, () => {
  let journey: Journey;
  let others: Record<'keyed' | 'second' | 'slow', ScriptedProvider>;
  before(async () => {
    const script = ({ generation }: { generation: { prompt: string } }): Script =>
      scripts[generation.prompt] ?? {};
    others = {
      keyed: createScriptedProvider({
        name: 'keyed',
        protection: 'idempotency-key',
        script,
      }),
      second: createScriptedProvider({
        name: 'second',
        script: ({ generation }) =>
          generation.prompt.endsWith('refused by the next') ? { start: ['refused'] } : {},
      }),
      slow: createScriptedProvider({ name: 'slow', typicalSeconds: 7200 }),
    };
    const routes = {
      'vidgen-2-0-mini': ['scripted'],
      'vidgen-2-0-fast': ['keyed', 'second'],
      'vidgen-2-0': ['scripted', 'second'],
      'vidgen-2-5': ['slow'],
    };
    journey = await startJourney({ script, providers: others, file: { routes } });
  });
  after(async () => {
    assert.deepEqual(journey.provider.startedTwice(), []);
    assert.deepEqual(others.keyed.startedTwice(), []);
    await journey.service.assertInvariants();
    await journey.close();
  });

  async function runTask(prompt: string, model: string = textToVideo.model) {
    const { service } = journey;
    const { final, available } = await createTask(service, { model, input: { prompt } });
    const task = await final();
    return { task, available: await available(), attempts: await attemptsOf(service, task.id) };
  }

  const generations = [
    ['look-up', 'lost, then found', 'vidgen-2-0-mini'],
    ['idempotency key', 'lost, then found', 'vidgen-2-0-fast'],
    ['look-up', 'lost before it began', 'vidgen-2-0-mini'],
    ['look-up', 'throws', 'vidgen-2-0-mini'],
    ['look-up', 'throttled', 'vidgen-2-0-mini'],
    ['look-up', 'busy', 'vidgen-2-0-mini'],
    ['look-up', 'unexpected status', 'vidgen-2-0-mini'],
  ] as const;
  for (const [protection, prompt, model] of generations) {
    test(`${prompt} (${protection}): completed, and charged once`, async () => {
      const { task, available } = await runTask(prompt, model);
      assert.equal(task.status, 'completed');
      assert.equal(available, 100 - task.credits);
    });
  }

  for (const prompt of ['lost, then throttled', 'lost, then refused']) {
    test(`${prompt} (idempotency key): only the same provider is tried again`, async () => {
      const { task, attempts } = await runTask(prompt, 'vidgen-2-0-fast');
      assert.equal(task.status, 'completed');
      assert.deepEqual(attempts, [['keyed', 'completed']]);
    });
  }

  test('rejected content is refunded, and no other provider is tried', async () => {
    const { task, available, attempts } = await runTask('content refused', 'vidgen-2-0');
    assert.equal(task.failed_reason, 'provider_rejected');
    assert.equal(available, 100);
    assert.equal(attempts.length, 1);
  });

  test('a throttled provider is tried again after the others have refused', async () => {
    const { task, attempts } = await runTask('busy, and refused by the next', 'vidgen-2-0');
    assert.equal(task.status, 'completed');
    assert.deepEqual(attempts, [
      ['scripted', 'throttled'],
      ['second', 'refused'],
      ['scripted', 'completed'],
    ]);
  });

  test('a task refused by every provider fails and is refunded', async () => {
    const { task, available } = await runTask('refused');
    assert.equal(task.failed_reason, 'provider_failed');
    assert.equal(available, 100);
  });

  test('a provider that would take longer than the deadline is not started', async () => {
    const { task, available } = await runTask('anything', 'vidgen-2-5');
    assert.equal(task.failed_reason, 'timed_out');
    assert.equal(available, 100);
    assert.deepEqual(others.slow.calls, []);
  });
});

test('a throttled provider is not started again when too little time is left', async () => {
  const { promise: isShortened, resolve } = Promise.withResolvers<void>();
  const throttled = { step: 'throttled', until: isShortened } as const;
  await using journey = await startJourney({ script: { start: [throttled, 'accepted'] } });
  const { taskId, final } = await createTask(journey.service);
  await journey.provider.waitForCall('start');
  // Leaves less than the typical time for the next attempt.
  await journey.service.db.query(
    `update tasks set deadline_at = now() + interval '1.8 seconds' where id = $1`,
    [taskId],
  );
  resolve();
  const task = await final();
  assert.equal(task.failed_reason, 'timed_out');
  assert.equal(journey.provider.calls.filter(({ kind }) => kind === 'start').length, 1);
  await journey.service.assertInvariants();
});

test('without protection a lost start is not repeated, and the task is refunded', async () => {
  await using journey = await startJourney({
    protection: 'none',
    script: { start: ['lost'] },
    environment: { VIDGEN_TASK_TIMEOUT: '8s' },
  });
  const { final, available } = await createTask(journey.service);
  const task = await final();
  assert.equal(task.failed_reason, 'timed_out');
  assert.equal(await available(), 100);
  assert.equal(journey.provider.calls.filter(({ kind }) => kind === 'start').length, 1);
  const { body: seen } = await journey.service.admin.get(`/admin/tasks/${task.id}`);
  const [attempt] = seen.attempts as { loss: string | null }[];
  assert.match(attempt?.loss ?? '', /submit not answered/);
  await journey.service.assertInvariants();
});

test('an accepted operation survives a failed database write', async () => {
  await using journey = await startJourney({ protection: 'none' });
  // A sequence is not rolled back with its transaction.
  await journey.service.db.query(`
    create sequence takes;
    create function refuse_once() returns trigger language plpgsql as $$
    begin
      if new.operation is not null and nextval('takes') <= 2 then
        raise exception 'the disk is full';
      end if;
      return new;
    end $$;
    create trigger refuse_once before update on attempts
      for each row when (old.operation is null) execute function refuse_once();
  `);
  const { final } = await createTask(journey.service);
  assert.equal((await final()).status, 'completed');
  assert.equal(journey.provider.calls.filter(({ kind }) => kind === 'start').length, 1);
  await journey.service.assertInvariants();
});
