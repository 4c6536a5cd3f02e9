/** The counts for metrics are those of the tables, and reading them reads no task or delivery. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTask, useJourney } from '../../proof/kit/journey.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { countDeliveries, foldDeliveryCounts } from '../webhooks/delivery.ts';
import { countTasks, foldTaskCounts } from './task-counts.ts';

const script = ({ generation }: { generation: { prompt: string } }) =>
  ({ status: [generation.prompt.includes('bad') ? 'failed' : 'completed'] }) as const;
const journey = await useJourney({ script });

const byStatus = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();

/** Waits until nothing changes any more: table and counts are read one after the other. */
async function assertCounts(): Promise<void> {
  const { db } = journey.service;
  const pending = `select from deliveries where status = 'pending'`;
  await waitUntil(async () => (await db.query(pending)).rowCount === 0);
  const { rows: tasks } = await db.query(
    `select status, billing_status as "billingStatus", count(*) as tasks from tasks group by 1, 2`,
  );
  assert.deepEqual(byStatus(await countTasks(db)), byStatus(tasks));
  const { rows: deliveries } = await db.query(
    'select status, count(*) as deliveries from deliveries group by 1',
  );
  assert.deepEqual(byStatus(await countDeliveries(db)), byStatus(deliveries));
}

test('counts follow every change, before and after they are folded', async () => {
  const { service, receiver } = journey;
  const { db } = service;
  for (const prompt of ['good', 'bad', 'good']) {
    const task = await createTask(service, { input: { prompt }, callback_url: receiver.url });
    await task.final();
  }
  await assertCounts();
  await Promise.all([1, 2, 3].flatMap(() => [foldTaskCounts(db), foldDeliveryCounts(db)]));
  await assertCounts();
  const { rows } = await db.query<{ n: number }>('select count(*) as n from task_counts');
  assert.ok(rows[0]!.n <= 6, `${rows[0]!.n} rows are left`);
  await (await createTask(service)).final();
  await assertCounts();
});

test('a scrape shows the counts and reads neither tasks nor deliveries', async () => {
  const { service } = journey;
  // A scrape that read one of them would wait for this transaction.
  const text = await service.db.transaction(async (tx) => {
    await tx.query('lock table tasks, deliveries in access exclusive mode');
    return await (await fetch(`${service.url}/metrics`)).text();
  });
  assert.match(text, /vidgen_tasks\{status="completed",billing_status="charged"\} 3/);
  assert.match(text, /vidgen_tasks\{status="failed",billing_status="refunded"\} 1/);
  assert.match(text, /vidgen_deliveries\{status="(delivered|pending)"\} \d/);
});
