/**
 * Two API processes and two workers, each with a home of its own, are one service on one PostgreSQL
 * and one bucket: what one stores, every other serves, uses and deletes.
 *
 * Thorough: starts four processes.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { Installation } from '../faults/installation.ts';
import { reservePort } from '../faults/service-process.ts';
import { loseNone } from '../faults/upstream.ts';
import { startFakeS3 } from '../kit/fake-s3.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { clientOf } from '../kit/service.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const bucket = await startFakeS3();
after(() => bucket.close());
const bucketUrl = bucket.url('two/homes');
const installation = await Installation.open({
  environment: { VIDGEN_STORAGE_URL: bucketUrl, ...bucket.environment },
  upstream: { lostPercent: loseNone },
});
after(() => installation.close());
const homes = ['api-1', 'api-2', 'worker-1', 'worker-2'].map(makeTemporaryFolder);
const at = (home: number, role: 'api' | 'worker', port?: number) =>
  installation.start({
    role,
    ...(port === undefined ? {} : { port }),
    environment: { VIDGEN_HOME: homes[home]! },
  });
const secondPort = await reservePort();
const secondUrl = `http://127.0.0.1:${secondPort}`;
await at(0, 'api').waitUntilServing();
await at(1, 'api', secondPort).waitUntilServing();
const { key } = await installation.account();
const first = clientOf(installation.url, key);
const second = clientOf(secondUrl, key);

const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const keysOf = (taskId: string) =>
  [...bucket.objects.keys()].filter((key) => key.startsWith(`two/homes/${taskId}/`));

/** The content as both API processes serve it, whole and in a range. */
async function download(url: string): Promise<string> {
  const contents: string[] = [];
  for (const base of [installation.url, secondUrl]) {
    const served = url.replace(installation.url, base);
    const whole = Buffer.from(await (await fetch(served)).arrayBuffer());
    const part = await fetch(served, { headers: { range: 'bytes=10-29' } });
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(10, 30));
    const head = await fetch(served, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(whole.length));
    contents.push(digest(whole));
  }
  assert.equal(contents[0], contents[1]);
  return contents[0]!;
}

test('four homes are one service, from create to expiry', async () => {
  const { url: uploadUrl } = await first.upload(await readFile(resultFramePath));
  assert.equal((await fetch(uploadUrl.replace(installation.url, secondUrl))).status, 200);

  const taskIds: string[] = [];
  for (const [worker, client] of [
    [2, second],
    [3, first],
  ] as const) {
    const process = at(worker, 'worker');
    const number = await installation.clients.create();
    await waitUntil(() => installation.clients.hasWebhook(number));
    // The other process reads the upload to judge it.
    const created = await client.create({
      model: 'vidgen-2-0-mini',
      input: { prompt: 'A paper boat 1. It drifts', image_urls: [uploadUrl], duration: 5 },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    taskIds.push(installation.clients.acknowledged.get(number)!);
    if (worker === 2) await process.stop();
  }
  for (const taskId of taskIds) {
    const task = await second.final(taskId);
    assert.equal(task.billing_status, 'charged');
    await download(task.data!.results[0]!);
    assert.deepEqual(keysOf(taskId), [`two/homes/${taskId}/1/video.mp4`]);
  }
  const urls = await Promise.all(
    taskIds.map(async (id) => (await first.task(id)).data!.results[0]!),
  );

  await installation.db.query(
    `with task as (update tasks set expires_at = now() where id = any($1))
     update jobs set run_at = now() where task_id = any($1)`,
    [taskIds],
  );
  for (const taskId of taskIds) await waitUntil(() => keysOf(taskId).length === 0);
  for (const url of urls) {
    assert.equal((await fetch(url)).status, 404);
    assert.equal((await fetch(url.replace(installation.url, secondUrl))).status, 404);
  }
  for (const home of homes) {
    assert(!(await readdir(home)).includes('results'), 'no result on a local disk');
    const downloads = await readdir(join(home, 'downloads')).catch(() => []);
    assert.deepEqual(downloads, []);
  }
  const { body } = await installation.admin.get('/admin/audit');
  const { checks } = body as unknown as AuditResponse;
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
});
