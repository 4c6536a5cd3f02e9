/** Upload URLs: only ours, exactly as issued; and how much an account may store. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { createEgress } from '../egress/egress.ts';
import { unixSeconds } from '../process/clock.ts';
import { openDiskStorage } from './disk.ts';
import { withLocalUploads } from './local-uploads.ts';
import { createUploads } from './uploads.ts';

const publicUrl = 'http://127.0.0.1:8787';
const secret = 'a secret that only tests know';
const content = Buffer.from('the bytes of an image');

const folder = makeTemporaryFolder('uploads');
const storage = await openDiskStorage(join(folder, 'results'));
const signing = { secret, publicUrl: () => publicUrl, nowSeconds: unixSeconds };
const uploads = createUploads({ storage, ...signing });
const file = join(folder, 'image');
await writeFile(file, content);

const add = async (accountId: string, bytes = content.length) => {
  const upload = uploads.issue({ accountId, extension: 'png', digest: 'of the content' });
  await uploads.save(accountId, [{ upload, file, bytes }]);
  return upload;
};
const { url } = await add(randomUUID());

describe('an upload URL', () => {
  test('is recognized exactly as issued until it expires', async (t) => {
    assert.equal(uploads.parseUrl(url)?.isExpired, false);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 49 * 3_600_000 });
    assert.equal(uploads.parseUrl(url)?.isExpired, true);
  });

  const changes: readonly (readonly [string, (url: string) => string])[] = [
    ['another name', (given) => given.replace(/-[0-9a-f]{32}/, `-${'0'.repeat(32)}`)],
    ['another kind', (given) => given.replace('.png', '.mp4')],
    ['a later end', (given) => given.replace(/expires=\d+/, 'expires=99999999999')],
    ['no signature', (given) => given.replace(/&signature=.*/, '')],
    ['another signature', (given) => given.replace(/.{5}$/, 'AAAAA')],
    ['another port', (given) => given.replace(':8787', ':8788')],
    ['another host', (given) => given.replace('127.0.0.1', '127.0.0.2')],
    ['another scheme', (given) => given.replace('http:', 'https:')],
    ['another path', (given) => given.replace('/uploads/', '/admin/')],
    ['a way around', (given) => given.replace('/uploads/', '/uploads/../uploads/')],
    ['something behind it', (given) => `${given}&more=1`],
    ['a fragment', (given) => `${given}#x`],
    ['a name before the host', (given) => given.replace('http://', 'http://me@')],
    ['spaces around it', (given) => ` ${given}`],
  ];
  for (const [what, change] of changes) {
    test(`with ${what} is not ours, and the guard rejects it`, async () => {
      const egress = createEgress({ allowedNetworks: [] });
      const guardedEgress = withLocalUploads(egress, uploads);
      assert.notEqual(change(url), url);
      assert.equal(uploads.parseUrl(change(url)), null);
      assert.equal(guardedEgress.check(change(url), 'material').ok, false);
      const limits = { kind: 'material', deadlineMs: 2000, bytesMax: 1000 } as const;
      const result = await guardedEgress.get({ url: change(url), ...limits });
      assert.deepEqual(
        [result.outcome, 'error' in result && result.error],
        ['failed', 'refused_address'],
      );
      egress.close();
    });
  }

  test('signed by another installation is not ours', async () => {
    const otherUploads = createUploads({ storage, ...signing, secret: `${secret} too` });
    assert.equal(otherUploads.parseUrl(url), null);
  });
});

describe('an upload read through the egress', () => {
  const limits = { kind: 'material', deadlineMs: 2000, bytesMax: 1000 } as const;
  const guardedEgress = () => withLocalUploads(createEgress({ allowedNetworks: [] }), uploads);

  test('is returned as a host would send it: whole, in part, or not at all', async () => {
    const read = async (headers: Record<string, string>) => {
      const result = await guardedEgress().get({ url, headers, ...limits });
      assert(result.outcome === 'response');
      const chunks: Uint8Array[] = [];
      for await (const chunk of result.stream) chunks.push(chunk);
      return [result.status, Buffer.concat(chunks).toString()];
    };
    assert.deepEqual(await read({}), [200, content.toString()]);
    assert.deepEqual(await read({ range: 'bytes=4-8' }), [206, 'bytes']);
    assert.deepEqual(await read({ range: 'bytes=900-' }), [416, '']);
  });

  test('is saved unless it exceeds the limit', async () => {
    const into = join(folder, 'saved');
    const saved = await guardedEgress().download({ url, into, ...limits });
    const whole = { outcome: 'saved', bytes: content.length, contentType: 'image/png' };
    assert.deepEqual(saved, whole);
    const cut = await guardedEgress().download({ url, into, ...limits, bytesMax: 10 });
    assert.equal('error' in cut && cut.error, 'too_large');
  });

  test('is a material only, not a result or a callback', () => {
    assert.equal(guardedEgress().check(url, 'material').ok, true);
    for (const kind of ['callback', 'result'] as const) {
      assert.equal(guardedEgress().check(url, kind).ok, false);
    }
  });

  test('is rejected for new tasks after it expires and still serves existing ones', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 49 * 3_600_000 });
    const checked = guardedEgress().check(url, 'material');
    assert.deepEqual(checked, { ok: false, rule: 'must be an upload that has not expired' });
    const result = await guardedEgress().get({ url, ...limits });
    assert(result.outcome === 'response');
    assert.equal(result.status, 200);
    result.discard();
  });

  test('is 404 once it is deleted', async () => {
    const { url: deleted } = await add(randomUUID());
    await storage.remove([uploads.parseUrl(deleted)!.key]);
    const result = await guardedEgress().get({ url: deleted, ...limits });
    assert.equal(result.outcome === 'response' && result.status, 404);
  });
});

test('a file is found by its ID, in its own account only', async () => {
  const accountId = randomUUID();
  const { id, key } = await add(accountId);
  const found = await uploads.urlOfFile(accountId, id);
  assert.equal(uploads.parseUrl(found!)?.key, key);
  assert.equal(await uploads.urlOfFile(randomUUID(), id), null);
  for (const wrong of ['', 'file_', id.slice(0, -1), `${id}0`, '../x', id.toUpperCase()]) {
    assert.equal(await uploads.urlOfFile(accountId, wrong), null);
  }
});

test('an account can store a thousand files', async () => {
  const accountId = randomUUID();
  const { key } = uploads.parseUrl((await add(accountId)).url)!;
  const path = join(folder, 'results', key);
  const copies = Array.from({ length: 999 }, (_, at) => join(dirname(path), `copy-${at}.png`));
  await Promise.all(copies.slice(1).map((copy) => writeFile(copy, '')));
  await add(accountId);
  await assert.rejects(add(accountId), ApiError);
});

test('an account can store two gibibytes, independently of other accounts', async () => {
  const accountId = randomUUID();
  await uploads.requireUploadQuota(accountId);
  const { key } = uploads.parseUrl((await add(accountId)).url)!;
  // A sparse file: it takes no disk space but counts in full.
  await truncate(join(folder, 'results', key), 2 * 1024 ** 3 - 10);
  await uploads.requireUploadQuota(accountId, { files: 1, bytes: 10 });
  await assert.rejects(uploads.requireUploadQuota(accountId, { files: 1, bytes: 11 }), ApiError);
  await assert.rejects(add(accountId), ApiError);
  await add(randomUUID());
});
