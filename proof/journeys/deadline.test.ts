/**
 * What the provider has at the deadline: a video that was finished in time is delivered and
 * charged, and everything else times out and is refunded.
 * Thorough: waits for deadlines; `lifecycle/poll-decision.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import { saveStream } from '../../server/egress/save-stream.ts';
import type { DownloadFile } from '../../server/providers/provider.ts';
import { attemptsOf, createTask, type Journey, startJourney } from '../kit/journey.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import type { Script } from '../kit/scripted-provider.ts';
import { waitUntil } from '../kit/wait-until.ts';

/** A status after which the provider would be polled again long after the deadline. */
const pending = { outcome: 'pending', pollAfterSeconds: 3600 } as const;

const start = (script: Script, timeout = '4s') =>
  startJourney({ script, environment: { VIDGEN_TASK_TIMEOUT: timeout } });

/** Creates a task, waits for its end, and checks the ledger. */
async function runTask({ service }: Journey) {
  const { final, available, taskId } = await createTask(service);
  const task = await final();
  const [attempt] = await attemptsOf(service, taskId);
  await service.assertInvariants();
  return { task, available: await available(), attempt };
}

test('delivers a video that the poll at the deadline finds', async () => {
  await using journey = await start({ status: [pending, 'completed'] });
  const { task, available, attempt } = await runTask(journey);
  assert.equal(task.status, 'completed');
  assert.equal(available, 100 - task.credits);
  assert.deepEqual(attempt, ['scripted', 'completed']);
});

test('delivers a video whose poll was under way at the deadline', async () => {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  await using journey = await start({ status: [{ step: 'completed', until: isOver }] }, '8s');
  const { service, provider } = journey;
  const { final, taskId } = await createTask(service);
  await provider.waitForCall('status');
  const isPast = 'select from tasks where id = $1 and deadline_at < now()';
  await waitUntil(async () => (await service.db.query(isPast, [taskId])).rowCount === 1);
  resolve();
  assert.equal((await final()).status, 'completed');
  await service.assertInvariants();
});

test('fetches a video that was finished at the deadline again when the fetch fails', async () => {
  let downloads = 0;
  const download: DownloadFile = async ({ into }) => {
    downloads += 1;
    if (downloads < 3) return { saved: false, detail: 'scripted' };
    return { saved: true, bytes: await saveStream(createReadStream(resultVideoPath), into) };
  };
  const completed = { outcome: 'completed', video: { download } } as const;
  await using journey = await start({ status: [pending, completed, 'paused', completed] });
  const { task, available } = await runTask(journey);
  assert.equal(task.status, 'completed');
  assert.equal(available, 100 - task.credits);
  assert.equal(downloads, 3);
});

test('looks for a lost start at the deadline, and delivers its video', async () => {
  const unknown = { outcome: 'unknown', detail: 'scripted' } as const;
  await using journey = await start({
    start: ['lost'],
    find: [unknown, 'truth'],
    status: ['completed'],
  });
  const { task } = await runTask(journey);
  assert.equal(task.status, 'completed');
  assert.deepEqual(journey.provider.startedTwice(), []);
});
