/** Results and uploads in a bucket: served, used as materials and expired as those on disk are. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openStorage } from '../../server/storage/open-storage.ts';
import { startFakeS3 } from '../kit/fake-s3.ts';
import { createTask, type Journey, startJourney } from '../kit/journey.ts';
import { resultFramePath, resultVideoPath } from '../kit/result-server.ts';
import { composeSecond } from '../kit/second-process.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';
import { waitUntil } from '../kit/wait-until.ts';

const fake = await startFakeS3();
after(() => fake.close());
const delivered = await readFile(resultVideoPath);
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

const start = (prefix: string, environment: Record<string, string> = {}): Promise<Journey> =>
  startJourney({
    script: { status: ['completed'] },
    environment: { VIDGEN_STORAGE_URL: fake.url(prefix), ...fake.environment, ...environment },
  });

async function completedTask({ service }: Journey) {
  const { taskId, final, client } = await createTask(service, {
    input: { return_last_frame: true },
  });
  const [url] = (await final()).data!.results;
  return { taskId, client, url: url! };
}

const keysOf = (taskId: string) => [...fake.objects.keys()].filter((key) => key.includes(taskId));
const expire = ({ service }: Journey, taskId: string) =>
  service.db.query(
    `with task as (update tasks set expires_at = now() where id = $1)
     update jobs set run_at = now() where task_id = $1`,
    [taskId],
  );

test('streams a result by ranges and HEAD, and deletes it when it expires', async () => {
  await using journey = await start('streamed');
  const { taskId, url } = await completedTask(journey);
  assert.deepEqual(keysOf(taskId).sort(), [
    `streamed/${taskId}/1/last-frame.jpg`,
    `streamed/${taskId}/1/video.mp4`,
  ]);
  const whole = await fetch(url, { redirect: 'manual' });
  assert.equal(whole.status, 200);
  const video = Buffer.from(await whole.arrayBuffer());
  assert.deepEqual(unmarkedVideo(video), delivered);
  const part = await fetch(url, { headers: { range: 'bytes=100-199' } });
  assert.equal(part.headers.get('content-range'), `bytes 100-199/${video.length}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), video.subarray(100, 200));
  const head = await fetch(url, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(video.length));
  const etag = whole.headers.get('etag')!;
  assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304);
  assert.equal((await fetch(url, { headers: { range: 'bytes=99999999-' } })).status, 416);
  const { service } = journey;
  assert(!(await readdir(service.home)).includes('results'), 'nothing is on the local disk');
  await expire(journey, taskId);
  assert.equal((await fetch(url)).status, 404);
  await waitUntil(() => keysOf(taskId).length === 0);
  await service.assertInvariants();
});

test('says when to retry while the store fails', async () => {
  await using journey = await start('failing');
  const { url } = await completedTask(journey);
  const image = await readFile(resultFramePath);
  const headers = { authorization: `Bearer ${(await journey.service.account({ live: 1 })).key}` };
  const upload = () =>
    fetch(`${journey.service.url}/v1/files`, { method: 'POST', headers, body: image });
  const uploaded = (await (await upload()).json()) as { url: string };
  fake.fault = () => ({ status: 500, code: 'InternalError' });
  try {
    for (const response of [await upload(), await fetch(uploaded.url), await fetch(url)]) {
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5']);
    }
  } finally {
    fake.fault = () => null;
  }
  assert.equal((await fetch(url)).status, 200);
});

test('redirects to a URL that ends no later than ours, and streams to its own pages', async () => {
  await using journey = await start('redirected', { VIDGEN_STORAGE_SERVE: 'redirect' });
  const { taskId, url } = await completedTask(journey);
  const redirect = await fetch(url, { redirect: 'manual' });
  assert.equal(redirect.status, 302);
  assert.equal(redirect.headers.get('cache-control'), 'no-store');
  const location = new URL(redirect.headers.get('location')!);
  assert.equal(location.origin, fake.origin);
  const lifetimeSeconds = Number(location.searchParams.get('X-Amz-Expires'));
  assert(lifetimeSeconds > 0 && lifetimeSeconds <= 300);
  const video = await bytesAt(url);
  const part = await fetch(url, { headers: { range: 'bytes=100-199' } });
  assert.deepEqual(
    [part.status, part.headers.get('content-type'), part.headers.get('content-disposition')],
    [206, 'video/mp4', `inline; filename="${taskId}.mp4"`],
  );
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), video.subarray(100, 200));
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${video.length}`]);
  assert.equal((await fetch(url, { headers: { range: 'bytes=99999999-' } })).status, 416);
  const own = { redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } } as const;
  assert.equal((await fetch(url, own)).status, 200);
  const page = await fetch(`${journey.service.url}/dashboard`);
  const policy = page.headers.get('content-security-policy')!;
  assert.match(policy, new RegExp(`media-src 'self' blob: ${fake.origin};`));
  const forged = url.replace(/signature=.{4}/, 'signature=AAAA');
  assert.equal((await fetch(forged, { redirect: 'manual' })).status, 404);
  await expire(journey, taskId);
  assert.equal((await fetch(url, { redirect: 'manual' })).status, 404);
  await waitUntil(() => keysOf(taskId).length === 0);
  assert.equal((await fetch(location)).status, 404);
});

test('a presigned URL lives no longer than the rest of ours', async () => {
  await using journey = await start('short', {
    VIDGEN_STORAGE_SERVE: 'redirect',
    VIDGEN_RESULT_TTL: '100s',
  });
  const { url } = await completedTask(journey);
  const { headers } = await fetch(url, { redirect: 'manual' });
  const { searchParams } = new URL(headers.get('location')!);
  assert(Number(searchParams.get('X-Amz-Expires')) <= 100);
});

test('reads uploads and its own results as materials', async () => {
  await using journey = await start('materials', { VIDGEN_STORAGE_SERVE: 'redirect' });
  const { service } = journey;
  const account = await service.account({ live: 100 });
  const frame = await readFile(resultFramePath);
  const { url: uploadUrl } = await account.client.upload(frame);
  const { url: resultUrl } = await completedTask(journey);
  const { egress } = service.parts.lifecycle;
  for (const [url, content] of [
    [uploadUrl, frame],
    [resultUrl, await bytesAt(resultUrl)],
  ] as const) {
    const fetched = await egress.get({ url, kind: 'material', deadlineMs: 10_000, bytesMax: 1e9 });
    assert(fetched.outcome === 'response' && fetched.status === 200);
    assert.deepEqual(Buffer.concat(await Array.fromAsync(fetched.stream)), content);
  }
  // An upload is inert only with our headers, so it never leaves through the bucket.
  const upload = await fetch(uploadUrl, { redirect: 'manual' });
  assert.equal(upload.status, 200);
  assert.match(upload.headers.get('content-security-policy')!, /sandbox/);
  const keys = [...fake.objects.keys()].filter((key) => key.startsWith('materials/upload_'));
  assert.equal(keys.length, 1);
  const { body } = await service.admin.get('/admin/system');
  const { place, free_bytes: freeBytes } = body.storage as Record<string, unknown>;
  assert.deepEqual([place, freeBytes], ['s3://videos/materials/', null]);
  assert(!JSON.stringify(body).includes(fake.environment.AWS_SECRET_ACCESS_KEY!));
});

test('refuses a bucket of another installation, and one that it cannot use', async () => {
  await using first = await start('owned');
  const { service } = first;
  const environment = { VIDGEN_STORAGE_URL: fake.url('owned'), ...fake.environment };
  await using same = await composeSecond(service, { environment });
  assert.ok(same.worker);
  const options = { url: fake.url('owned'), cdnUrl: null, folder: '' };
  const bucket = { ...options, owner: 'another installation' };
  const { environment: credentials } = fake;
  await assert.rejects(openStorage({ ...bucket, credentials }), /belongs to another installation/);
  const wrong = { ...credentials, AWS_SECRET_ACCESS_KEY: 'wrong' };
  await assert.rejects(
    openStorage({ ...bucket, credentials: wrong }),
    /VIDGEN_STORAGE_URL: .*check AWS_SECRET_ACCESS_KEY/,
  );
  assert.deepEqual(
    [...fake.objects.keys()].filter((key) => key.includes('probe')),
    [],
  );
});
