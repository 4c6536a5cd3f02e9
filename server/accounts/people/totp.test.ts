/** Codes of authenticator apps, against the test values of RFC 6238 and RFC 4648. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base32, findTotpStep, totpCode, totpStep, totpUrl } from './totp.ts';

/** RFC 6238, appendix B, shortened to six digits. */
const secret = Buffer.from('12345678901234567890');
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

test('codes are those of RFC 6238', () => {
  for (const [unixSeconds, code] of vectors) {
    assert.equal(totpCode(secret, totpStep(unixSeconds)), code);
  }
});

test('accepts one step of clock difference, and no used step', () => {
  const unixSeconds = 1_111_111_111;
  const now = totpStep(unixSeconds);
  for (const [apart, expected] of [
    [-2, null],
    [-1, now - 1],
    [0, now],
    [1, now + 1],
    [2, null],
  ]) {
    const code = totpCode(secret, now + apart!);
    assert.equal(findTotpStep(secret, { code, unixSeconds, lastStep: 0 }), expected);
    const lastStep = now + apart!;
    assert.equal(findTotpStep(secret, { code, unixSeconds, lastStep }), null);
  }
});

test('rejects what is not six digits', () => {
  for (const code of ['', '12345', '1234567', '05O471', '٠٥٠٤٧١', '\0\0\0\0\0\0']) {
    assert.equal(findTotpStep(secret, { code, unixSeconds: 1_111_111_111, lastStep: 0 }), null);
  }
});

test('writes secrets in base32, and the URL of the QR code', () => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', foobar: 'MZXW6YTBOI' };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(base32(Buffer.from(text)), encoded);
  }
  assert.equal(
    totpUrl(Buffer.from('foobar'), { issuer: 'vidgen', email: 'a+b@example.com' }),
    'otpauth://totp/vidgen:a%2Bb%40example.com?secret=MZXW6YTBOI&issuer=vidgen',
  );
});
