/**
 * A sample of the proof `receivers`: those that do not take fifteen seconds, against a service in
 * this process.
 *
 * One engine: the subject is what receivers do to calls, and the log of them is tested elsewhere.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../../server/clock.ts';
import { startJourney, textToVideo } from '../../kit/journey.ts';
import { receiverScripts } from './hostile-receivers.ts';
import { openBench } from './receiver-bench.ts';
import { readDeliveries, troublesOf } from './receiver-verdict.ts';

test('every hostile receiver costs what it must, and its calls end as they should', async (t) => {
  const journey = await startJourney({
    environment: { VIDGEN_WEBHOOK_RETRIES: '10ms,10ms,10ms,10ms,10ms', VIDGEN_RATE_CREATE: '0' },
  });
  t.after(() => journey.close());
  const { admin, account } = journey.service;
  const quick = receiverScripts.filter(({ isSlow }) => !isSlow);
  const { id, client } = await account({ live: 100_000 });
  const told = await Promise.all(
    quick.map(async (receiver) => {
      const bench = await openBench(receiver);
      t.after(() => bench.close());
      const { body } = await client.create({ ...textToVideo, callback_url: bench.url });
      return { bench, taskId: body.taskId as string };
    }),
  );
  let deliveries = await readDeliveries(admin, id);
  while (deliveries.length < quick.length || deliveries.some((one) => one.status === 'pending')) {
    await sleep(100);
    deliveries = await readDeliveries(admin, id);
  }
  const troubles = told.flatMap(({ bench, taskId }) => {
    const delivery = deliveries.find(({ task_id }) => task_id === taskId);
    return troublesOf(bench, delivery, { attemptsMax: 6 });
  });
  assert.deepEqual(troubles, []);
  await journey.service.auditClean();
});
