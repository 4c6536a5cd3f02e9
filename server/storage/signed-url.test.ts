/** A signed URL opens one file until it expires and cannot be turned into another URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signUrl, verifySignedUrl } from './signed-url.ts';

const secret = 'a secret of more than enough characters';
const taskId = 'task_01k9zq0c8vf5tbn3x6y7m2r4aw';
const expiresAt = new Date('2026-11-16T10:00:00.900Z');
const expiresSeconds = Math.floor(expiresAt.getTime() / 1000);
const publicUrl = 'https://videos.example.com';

/** Path and query, decoded as the route receives them. */
function parseParams(url: string) {
  const { pathname, searchParams } = new URL(url);
  const [taskPart, name] = pathname.split('/').slice(-2).map(decodeURIComponent) as [
    string,
    string,
  ];
  const expires = searchParams.get('expires')!;
  return { taskId: taskPart, name, expires, signature: searchParams.get('signature')! };
}

const text = fc.string({ unit: 'grapheme', minLength: 1 });

test('returns a URL below the public URL, with or without a trailing slash', () => {
  const pattern =
    /^https:\/\/videos\.example\.com\/base\/results\/task_\w{26}\/video\.mp4\?expires=/;
  for (const base of [`${publicUrl}/base`, `${publicUrl}/base/`]) {
    const options = { publicUrl: base, secret, taskId, name: 'video.mp4', expiresAt };
    assert.match(signUrl(options), pattern);
  }
});

test('is valid until the last whole second before the result expires', () => {
  const params = parseParams(signUrl({ publicUrl, secret, taskId, name: 'video.mp4', expiresAt }));
  const at = (nowSeconds: number) => verifySignedUrl({ ...params, secret, nowSeconds });
  assert.equal(at(0), 'valid');
  assert.equal(at(expiresSeconds - 1), 'valid');
  assert.equal(at(expiresSeconds), 'expired');
  assert.equal(at(expiresSeconds + 1), 'expired');
});

test('is invalid if the task, name, expiry or secret differs', () => {
  const signed = fc.record({
    taskId: text,
    name: text,
    seconds: fc.integer({ min: 1, max: 9_999_999_999 }),
    secret: fc.string({ minLength: 16 }),
  });
  fc.assert(
    fc.property(
      signed,
      signed,
      fc.subarray(['taskId', 'name', 'seconds', 'secret'] as const),
      (one, other, changed) => {
        const params = { ...one };
        for (const field of changed) Object.assign(params, { [field]: other[field] });
        fc.pre(JSON.stringify(params) !== JSON.stringify(one));
        const url = signUrl({ ...one, publicUrl, expiresAt: new Date(one.seconds * 1000) });
        const { signature } = parseParams(url);
        const expires = String(params.seconds);
        const verdict = verifySignedUrl({ ...params, expires, signature, nowSeconds: 0 });
        assert.equal(verdict, 'invalid_signature');
      },
    ),
  );
});

test('rejects any other spelling of expiry and signature', () => {
  const params = parseParams(signUrl({ publicUrl, secret, taskId, name: 'video.mp4', expiresAt }));
  const { expires, signature } = params;
  const forged = [
    { expires: `0${expires}` },
    { expires: `+${expires}` },
    { expires: ` ${expires}` },
    { expires: `${expires}.0` },
    { expires: `${expires}0` },
    { expires: '1e10' },
    { expires: '' },
    { expires: 'Infinity' },
    { signature: '' },
    { signature: `${signature}=` },
    { signature: signature.slice(0, -1) },
    { signature: signature.toUpperCase() },
    { signature: 'é'.repeat(signature.length) },
  ];
  for (const changed of forged) {
    const verdict = verifySignedUrl({ ...params, ...changed, secret, nowSeconds: 0 });
    assert.equal(verdict, 'invalid_signature', JSON.stringify(changed));
  }
});
