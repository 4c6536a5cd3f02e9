/**
 * The archive of an account: complete, of this account only, and cut off with the right to it.
 * Thorough: sends 140 MB.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { testAdminToken } from '../../../proof/kit/service.ts';
import { findTask } from '../../tasks/store.ts';

const { service, receiver } = await useJourney({
  environment: { VIDGEN_RATE_STATUS: '0' },
  script: { status: ['completed'] },
});
const { lifecycle } = service.parts;

type Account = Awaited<ReturnType<typeof service.account>>;

async function createDone({ client }: Account, prompt: string): Promise<string> {
  const input = { ...textToVideo.input, prompt };
  return (await client.run({ ...textToVideo, input, callback_url: receiver.url })).id;
}

const archiveUrl = (id: string) => `${service.url}/admin/accounts/${id}/archive`;

/** Parses what the POSIX standard says, and checks every checksum. */
function readTar(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + 512);
    if (header.every((byte) => byte === 0)) {
      assert.equal(archive.length - at, 1024);
      return files;
    }
    const text = (from: number, to: number) => header.toString('ascii', from, to).split('\0')[0]!;
    const sum = header.reduce((s, byte, i) => s + (i >= 148 && i < 156 ? 0x20 : byte), 0);
    assert.equal(Number.parseInt(text(148, 156), 8), sum);
    assert.deepEqual([text(257, 263), text(156, 157)], ['ustar', '0']);
    const bytes = Number.parseInt(text(124, 136), 8);
    files.set(text(0, 100), archive.subarray(at + 512, at + 512 + bytes));
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
}

test('has every part of the account, and nothing of another', async () => {
  const account = await service.account({ live: 100, name: 'Paper Boat Studio' });
  const owner = await newMember(service, { accountId: account.id, role: 'owner' });
  const other = await service.account({ live: 100 });
  await createDone(other, 'of another account');
  const prompt = 'Ein Boot aus Papier, 纸船';
  const id = await createDone(account, prompt);
  await receiver.waitForWebhooks(2);
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk', 'base64');
  await account.client.upload(png);

  const response = await fetch(archiveUrl(account.id), { headers: { cookie: owner.cookie()! } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/x-tar');
  assert.match(
    response.headers.get('content-disposition')!,
    /^attachment; filename="vidgen-account-paper-boat-studio-\d{4}-\d\d-\d\d\.tar"$/,
  );
  const archive = Buffer.from(await response.arrayBuffer());
  const files = readTar(archive);
  const json = (name: string) => JSON.parse(files.get(name)!.toString());
  const [upload] = [...files.keys()].filter((name) => name.startsWith('uploads/'));
  assert.deepEqual(
    [...files.keys()],
    [
      'account.json',
      'ledger/000001.jsonl',
      'deliveries/000001.jsonl',
      'tasks/000001.jsonl',
      `files/${id}/video.mp4`,
      upload,
      'complete.json',
    ],
  );
  const counts = { tasks: 1, ledger: 3, deliveries: 1, files: 1, uploads: 1 };
  assert.deepEqual(json('complete.json'), { account: account.id, ...counts });
  const { account: shown, members, keys } = json('account.json');
  assert.deepEqual([shown.id, shown.webhook_secret], [account.id, null]);
  assert.deepEqual([members[0].email, keys[0].id], [owner.email, account.keyId]);
  assert.equal(json('tasks/000001.jsonl').request.input.prompt, prompt);
  assert.match(json('deliveries/000001.jsonl').body, new RegExp(id));
  assert.deepEqual(files.get(upload!), png);
  const { result } = (await findTask(service.db, id))!;
  const stored = await lifecycle.storage.open(result!.video);
  const video = Buffer.concat(await Array.fromAsync(stored!.read()));
  assert.deepEqual(files.get(`files/${id}/video.mp4`), video);
  assert.doesNotMatch(archive.toString('latin1'), /of another account/);
  assert.doesNotMatch(archive.toString('latin1'), new RegExp(other.id));
  const [entry] = await service.auditLog(account.id);
  assert.deepEqual([entry!.action, entry!.actor], ['account.export', owner.email]);
});

test('is cut off, without its end, when the caller loses the right meanwhile', async () => {
  const account = await service.account({ live: 100 });
  const owner = await newMember(service, { accountId: account.id, role: 'owner' });
  const large = join(service.home, 'large.mp4');
  await writeFile(large, Buffer.alloc(24 * 1024 ** 2));
  for (const prompt of ['first', 'second', 'third']) {
    const id = await createDone(account, prompt);
    const key = (await findTask(service.db, id))!.result!.video;
    await lifecycle.storage.put({ key, file: large, contentType: 'video/mp4' });
  }
  const response = await fetch(archiveUrl(account.id), { headers: { cookie: owner.cookie()! } });
  const reader = response.body!.getReader();
  let bytes = (await reader.read()).value!.length;
  const removed = await service.admin.send(
    'DELETE',
    `/admin/accounts/${account.id}/members/${owner.personId}`,
  );
  assert.equal(removed.status, 204);
  await assert.rejects(async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
  });
  assert(bytes < 60 * 1024 ** 2, `${bytes} bytes`);
  const again = await fetch(archiveUrl(account.id), { headers: { cookie: owner.cookie()! } });
  assert.equal(again.status, 404);
  const headers = { authorization: `Bearer ${testAdminToken}` };
  const whole = await fetch(archiveUrl(account.id), { headers });
  assert.equal(readTar(Buffer.from(await whole.arrayBuffer())).has('complete.json'), true);
});
