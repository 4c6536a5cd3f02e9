/** Possible provider costs are shown to admins, also where the provider cannot be told to stop. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { claim } from '../../queue/claim.ts';
import { openAttempt, recordOperation, setUnanswered } from '../../tasks/attempts.ts';
import { submit } from '../submit.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => journey.close());

const ends = {
  'whose response was lost': {
    operation: null,
    loss: 'given up while the provider may go on (submit not answered)',
  },
  'that has the task': {
    operation: 'theirs-1',
    loss: 'given up while the provider may go on (not told to stop)',
  },
};

for (const [which, { operation, loss }] of Object.entries(ends)) {
  test(`records a possible loss when a provider ${which} is no longer configured`, async () => {
    const { service } = journey;
    const { lifecycle } = service.parts;
    const { client } = await service.account({ live: 100 });
    const { body } = await client.create(textToVideo);
    const taskId = body.taskId as string;
    await lifecycle.db.transaction(async (tx) => {
      const reference = `vg_${which}`;
      const newAttempt = { taskId, provider: 'removed', credential: null, reference };
      const { number } = await openAttempt(tx, newAttempt);
      await setUnanswered(tx, { taskId, number, unanswered: true, detail: null });
      if (operation !== null) await recordOperation(tx, { taskId, number, operation });
    });
    const limits = { jobsMax: 1, perAccountMax: 1, perReceiverMax: 1, includeIsolated: true };
    const [job] = await claim(lifecycle.db, { owner: 'a', queue: 'default', ...limits });
    await submit(lifecycle, job!);
    const { status, billing_status } = await client.task(taskId);
    assert.deepEqual({ status, billing_status }, { status: 'failed', billing_status: 'refunded' });
    const { body: seen } = await service.admin.get(`/admin/tasks/${taskId}`);
    const [attempt] = seen.attempts as { outcome: string; loss: string; detail: string }[];
    assert.equal(attempt!.outcome, 'abandoned');
    assert.equal(attempt!.loss, loss);
    assert.match(attempt!.detail, /removed is no longer configured/);
    await service.assertInvariants();
  });
}
