/**
 * A video that its provider calls finished and nobody can fetch: tried again, then refunded.
 * One engine: the subject is what an upstream hands out.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sleep } from '../clock.ts';
import { balanceOf, type Journey, startJourney, textToVideo } from '../testing/journey.ts';

let journey: Journey;
let downloads = 0;

before(async () => {
  const download = async () => {
    downloads += 1;
    return { saved: false, detail: 'HTTP 404 of the upstream' } as const;
  };
  journey = await startJourney({
    script: { status: [{ outcome: 'completed', video: { download } }] },
  });
});
after(async () => {
  await journey.service.auditClean();
  await journey.close();
});

test('it fails after eight tries, refunded and without the upstream’s words', async () => {
  const { client, id } = await journey.service.account({ live: 100 });
  const { body: created } = await client.create(textToVideo);
  const taskId = created.taskId as string;
  while (downloads === 0) await sleep(20);
  assert.equal((await client.task(taskId)).status, 'generating', 'once is no failure');
  const before = downloads;
  // The tries between the first and the last take two minutes.
  let isLast = false;
  while (!isLast) {
    const { rowCount } = await journey.service.db.query(
      `update jobs set attempts = 7, run_at = now()
       where task_id = $1 and kind = 'poll' and lease_until is null and attempts < 7`,
      [taskId],
    );
    isLast = rowCount === 1;
    if (!isLast) await sleep(20);
  }
  const final = await client.final(taskId);
  assert.equal(downloads, before + 1, 'it was tried again');
  assert.deepEqual([final.status, final.failed_reason], ['failed', 'provider_failed']);
  assert.ok(!JSON.stringify(final).includes('upstream'));
  assert.equal((await balanceOf(journey.service, id)).live.available, 100);
});
