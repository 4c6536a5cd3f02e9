/**
 * A worker that is killed while it stores a video, before or after the bucket has it: another one
 * with a home of its own signs it again and stores the same bytes, and it is charged once.
 * Thorough: kills processes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeS3 } from '../../kit/fake-s3.ts';
import { makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { liveBalance, taskCredits } from '../findings.ts';
import { grantedCredits, Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';

const fake = await startFakeS3();
const planOf = () => ({ fails: false, generationMs: 0, isNotified: true });
const installation = await Installation.open({
  environment: { VIDGEN_STORAGE_URL: fake.url('killed'), ...fake.environment },
  upstream: { lostPercent: loseNone, planOf },
});
after(async () => {
  await installation.close();
  await fake.close();
});
await installation.start({ role: 'api' }).waitUntilServing();
const { id: accountId, client } = await installation.account();
const startWorker = () =>
  installation.start({
    role: 'worker',
    environment: { VIDGEN_HOME: makeTemporaryFolder('killed-worker') },
  });
const isVideo = (key: string) => key.startsWith('killed/task_');

let tasks = 0;
for (const fault of ['silent', 'lost-response'] as const) {
  test(`another worker stores a video whose put was cut (${fault})`, async () => {
    const first = startWorker();
    const cut = Promise.withResolvers<void>();
    fake.fault = ({ operation, key }) => {
      if (operation !== 'PutObject' || !isVideo(key)) return null;
      cut.resolve();
      return fault;
    };
    const number = await installation.clients.create();
    tasks += 1;
    await cut.promise;
    const { pid } = first;
    await first.kill();
    const taskId = installation.clients.acknowledged.get(number)!;
    const key = `killed/${taskId}/1/video.mp4`;
    const before = fake.objects.get(key);
    assert.equal(before === undefined, fault === 'silent');
    assert.equal((await liveBalance(installation.admin, accountId)).reserved, taskCredits);
    fake.fault = () => null;
    await installation.expireLeases(pid);
    const second = startWorker();
    await waitUntil(() => installation.clients.hasWebhook(number));
    assert.deepEqual(
      [...fake.objects.keys()].filter((one) => one.includes(taskId)),
      [key],
    );
    const stored = fake.objects.get(key)!;
    assert.notEqual(stored, before);
    if (before) assert.ok(stored.body.equals(before.body), 'signed again, it has the same bytes');
    const { available, reserved } = await liveBalance(installation.admin, accountId);
    assert.deepEqual([available, reserved], [grantedCredits - tasks * taskCredits, 0]);
    const { body } = await installation.read(`/v1/tasks/${taskId}`);
    const [url] = (body.data as { results: string[] }).results;
    assert.equal((await fetch(url!)).status, 200);
    const verified = await client.post('/verify', { id: taskId });
    assert.deepEqual([verified.body.state, verified.body.made_here], ['valid', true]);
    await second.stop();
  });
}
