/**
 * Starts whose responses are lost never cause two generations for one task. What follows each other
 * response is decided in `lifecycle/submit-decision.test.ts` and done in `submit.test.ts`.
 * Thorough: waits until lost starts are looked up.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createTask, startJourney } from '../kit/journey.ts';
import { createScriptedProvider, type Script } from '../kit/scripted-provider.ts';

/** The prompt selects the provider's script, so that one service runs all cases. */
const scripts: Readonly<Record<string, Script>> = {
  'lost, then found': { start: ['lost', 'accepted'] },
  'lost before it began': { start: ['nothing', 'accepted'] },
  'lost, then throttled': { start: ['lost', 'throttled', 'accepted'] },
  'unexpected status': { status: ['paused', 'throws', 'completed'] },
};
const script = ({ generation }: { generation: { prompt: string } }): Script =>
  scripts[generation.prompt]!;

describe('a start that goes wrong', { concurrency: true }, async () => {
  const keyed = createScriptedProvider({ name: 'keyed', protection: 'idempotency-key', script });
  const { service, provider, close } = await startJourney({
    script,
    providers: { keyed },
    file: { routes: { 'vidgen-2-0-mini': ['scripted'], 'vidgen-2-0-fast': ['keyed'] } },
  });
  after(async () => {
    assert.deepEqual([...provider.startedTwice(), ...keyed.startedTwice()], []);
    await service.assertInvariants();
    await close();
  });
  for (const [protection, prompt, model] of [
    ['look-up', 'lost, then found', 'vidgen-2-0-mini'],
    ['idempotency key', 'lost, then found', 'vidgen-2-0-fast'],
    ['idempotency key', 'lost, then throttled', 'vidgen-2-0-fast'],
    ['look-up', 'lost before it began', 'vidgen-2-0-mini'],
    ['look-up', 'unexpected status', 'vidgen-2-0-mini'],
  ] as const) {
    test(`${prompt} (${protection}): completed, and charged once`, async () => {
      const { final, available } = await createTask(service, { model, input: { prompt } });
      const task = await final();
      assert.equal(task.status, 'completed');
      assert.equal(await available(), 100 - task.credits);
    });
  }
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
