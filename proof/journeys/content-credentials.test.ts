/** Results are signed, anyone can verify them, and what goes wrong costs no video. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { VerifyResponse } from '@vidgen/contract/content-credentials.ts';
import { validate } from '../kit/c2pa-validators.ts';
import { createTask, startJourney, textToVideo, useJourney } from '../kit/journey.ts';
import { newMember } from '../kit/people.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

const folder = makeTemporaryFolder('content-credentials');
const journey = await useJourney({ environment: { VIDGEN_POSTERS: 'on' } });
const { service } = journey;
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

async function verify(body: unknown, headers: Record<string, string> = {}, base = service.url) {
  const isFile = Buffer.isBuffer(body);
  const type = isFile ? 'application/octet-stream' : 'application/json';
  return await fetch(`${base}/verify`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: isFile ? new Uint8Array(body) : JSON.stringify(body),
  });
}
const verdictOf = async (response: Response) => VerifyResponse.parse(await response.json());
const asJourney = { input: { return_last_frame: true } };

test('a result is verified by ID, URL and upload, and a change is noticed', async () => {
  const { taskId, final } = await createTask(service, asJourney);
  const { data } = await final();
  const video = await bytesAt(data!.results[0]!);
  const images = [data!.last_frame_url!, await posterOf(taskId)];
  for (const body of [{ id: taskId }, { url: data!.results[0] }, video]) {
    const { claims, ...verdict } = await verdictOf(await verify(body));
    assert.deepEqual(
      { ...verdict, signed_at: typeof verdict.signed_at },
      { made_here: true, state: 'valid', model: textToVideo.model, signed_at: 'number' },
    );
    assert.equal(claims?.source_type, 'trainedAlgorithmicMedia');
  }
  const { body: keys } = await service.admin.get('/admin/signing-keys');
  const items = keys.items as { kind: string; certificate: string }[];
  const authority = items.find(({ kind }) => kind === 'authority')!.certificate;
  for (const bytes of [video, ...(await Promise.all(images.map(bytesAt)))]) {
    assert.deepEqual(await validate(bytes, authority), { rust: true, typescript: true });
    assert.equal((await verdictOf(await verify(bytes, await keyHeaders()))).state, 'valid');
  }
  video[video.length - 1]! ^= 1;
  const altered = await verdictOf(await verify(video));
  assert.deepEqual([altered.made_here, altered.state], [false, 'altered']);
});

async function posterOf(taskId: string): Promise<string> {
  return (await service.admin.get(`/admin/tasks/${taskId}`)).body.poster_url as string;
}

const keyHeaders = async () => ({
  authorization: `Bearer ${(await service.account({ live: 1 })).key}`,
});

test('members download the manifest of their task, and nothing of others', async () => {
  const { taskId, final, account } = await createTask(service);
  await final();
  const { body } = await service.admin.get(`/admin/tasks/${taskId}`);
  assert.deepEqual(body.credentials, { state: 'signed', detail: null });
  const path = `/admin/tasks/${taskId}/credentials`;
  const member = await newMember(service, { accountId: account.id, role: 'viewer' });
  const manifest = (await member.get(path)).body as { assertions: Record<string, unknown> };
  assert.deepEqual(Object.keys(manifest.assertions), [
    'c2pa.hash.bmff.v3',
    'c2pa.actions.v2',
    'vidgen.generation',
  ]);
  const text = JSON.stringify(manifest);
  for (const secret of [taskId, textToVideo.input.prompt, account.id, 'scripted']) {
    assert(!JSON.stringify(manifest.assertions).includes(secret), secret);
  }
  assert.match(text, /BEGIN CERTIFICATE/);
});

test('after a rotation, new results have the new key, and old ones stay valid', async () => {
  const old = await createTask(service);
  await old.final();
  const before = (await service.admin.get('/admin/signing-keys')).body.items as unknown[];
  const { body } = await service.admin.post('/admin/signing-keys/rotate');
  const items = body.items as { kind: string; signs: boolean; retired_at: number | null }[];
  assert.equal(items.length, before.length + 1);
  const signers = items.filter(({ kind }) => kind === 'signer');
  assert.deepEqual(
    signers.map(({ signs, retired_at }) => [signs, retired_at === null]),
    [[true, true], ...Array(signers.length - 1).fill([false, false])],
  );
  const next = await createTask(service);
  await next.final();
  const headers = await keyHeaders();
  for (const { taskId } of [old, next]) {
    assert.equal((await verdictOf(await verify({ id: taskId }, headers))).state, 'valid');
  }
});

test('what cannot be signed is stored as it is, counted, and said on the task', async () => {
  const file = join(folder, 'odd.mp4');
  const odd = Buffer.from(
    '00000010667479706973 6f6d00000000 0000000c6d6f6f6600000000'.replaceAll(' ', ''),
    'hex',
  );
  const video = { file };
  await using other = await startJourney({
    script: { status: [{ outcome: 'completed', video }] },
  });
  await writeFile(file, odd);
  const { taskId, final } = await createTask(other.service);
  const { data, billing_status } = await final();
  assert.equal(billing_status, 'charged');
  assert.deepEqual(await bytesAt(data!.results[0]!), odd);
  const { credentials } = (await other.service.admin.get(`/admin/tasks/${taskId}`)).body;
  assert.deepEqual(credentials, { state: 'unsigned', detail: 'it has a "moof" box' });
  const metrics = await (await fetch(`${other.service.url}/metrics`)).text();
  assert.match(metrics, /^vidgen_results_unsigned_total [1-9]/m);
  const { state } = await verdictOf(await verify({ id: taskId }, {}, other.service.url));
  assert.equal(state, 'unsigned');
});

test('asks for a key, or is off, where the operator wants that, and stops at a limit', async () => {
  await using keyed = await startJourney({ environment: { VIDGEN_VERIFY: 'key' } });
  const file = Buffer.from('not a video at all');
  assert.equal((await verify(file, {}, keyed.service.url)).status, 401);
  const { key } = await keyed.service.account({ live: 1 });
  const authorization = `Bearer ${key}`;
  assert.equal((await verify(file, { authorization }, keyed.service.url)).status, 200);
  assert.match(await (await fetch(`${keyed.service.url}/verify`)).text(), /API key/);

  await using off = await startJourney({ environment: { VIDGEN_VERIFY: 'off' } });
  assert.equal((await verify(file, {}, off.service.url)).status, 404);
  assert.equal((await fetch(`${off.service.url}/verify`)).status, 404);

  await using open = await startJourney();
  const ask = async (body: unknown, headers = {}) => {
    const response = await verify(body, headers, open.service.url);
    return [response.status, (await response.json()) as { error?: { message: string } }] as const;
  };
  const forged = `${open.service.url}/results/task_x/video.mp4?expires=9999999999&signature=x`;
  for (const [body, message] of [
    [{ id: 'task_unknown' }, /^No result found with this ID/],
    [{ url: forged }, /^url must be the URL of a result of this installation/],
    [{ id: 'a', url: 'b' }, /^The body must have either id or url/],
    [Buffer.alloc(0), /^The body must be a file/],
  ] as const) {
    assert.match((await ask(body))[1].error!.message, message);
  }
  const form = { 'content-type': 'multipart/form-data; boundary=x' };
  assert.match((await ask(file, form))[1].error!.message, /^The body must be the file, not a form/);
  let status: number;
  let asked = 5;
  do {
    [status] = await ask(file);
    asked += 1;
  } while (status === 200);
  assert.deepEqual([status, asked], [429, 21]);
  assert.equal((await ask(file, { authorization: 'Bearer wrong' }))[0], 401);
});
