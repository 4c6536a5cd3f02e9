/** A sample of the fault test `receivers`: those that end before the timeout. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../../server/process/clock.ts';
import { startJourney, textToVideo } from '../../kit/journey.ts';
import { receiverScripts } from './hostile-receivers.ts';
import { openReceiverFixture, readDeliveries, receiverViolations } from './receiver-fixture.ts';

test('hostile receivers cost at most the limits, and their webhooks end as expected', async (t) => {
  const journey = await startJourney({
    environment: { VIDGEN_WEBHOOK_RETRIES: '10ms,10ms,10ms,10ms,10ms', VIDGEN_RATE_CREATE: '0' },
  });
  t.after(() => journey.close());
  const { admin, account } = journey.service;
  const quick = receiverScripts.filter(({ isSlow }) => !isSlow);
  const { id, client } = await account({ live: 100_000 });
  const started = await Promise.all(
    quick.map(async (receiver) => {
      const fixture = await openReceiverFixture(receiver);
      t.after(() => fixture.close());
      const { body } = await client.create({ ...textToVideo, callback_url: fixture.url });
      return { fixture, taskId: body.taskId as string };
    }),
  );
  let deliveries = await readDeliveries(admin, id);
  while (deliveries.length < quick.length || deliveries.some((one) => one.status === 'pending')) {
    await sleep(100);
    deliveries = await readDeliveries(admin, id);
  }
  const violations = started.flatMap(({ fixture, taskId }) => {
    const delivery = deliveries.find(({ task_id }) => task_id === taskId);
    return receiverViolations(fixture, delivery, { attemptsMax: 6 });
  });
  assert.deepEqual(violations, []);
  await journey.service.assertInvariants();
});
