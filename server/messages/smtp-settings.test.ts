import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from '../crypto/seal.ts';
import { isMailAddress, parseSender, parseSmtpUrl } from './smtp-settings.ts';

test('encryption is required, unless the host is this machine or the URL says otherwise', () => {
  const tlsOf = (url: string) => parseSmtpUrl(url).tls;
  assert.equal(tlsOf('smtp://mail.example.com'), 'required');
  assert.equal(tlsOf('smtps://mail.example.com'), 'implicit');
  assert.equal(tlsOf('smtp://mail.example.com?tls=off'), 'off');
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    assert.equal(tlsOf(`smtp://${host}:25`), 'optional');
  }
  assert.equal(tlsOf('smtp://127.0.0.1.example.com'), 'required');
});

test('user and password are decoded, and ports have defaults', () => {
  assert.deepEqual(parseSmtpUrl('smtp://me%40a.example:p%3Aw%2F@mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    tls: 'required',
    auth: { user: 'me@a.example', pass: 'p:w/' },
  });
  assert.equal(parseSmtpUrl('smtps://mail.example.com').port, 465);
});

for (const url of [
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?tls=on',
  'smtps://mail.example.com?tls=off',
  'smtp://mail.example.com?pool=true',
  'smtp://user@mail.example.com',
  'smtp:///',
]) {
  test(`${url} is an error`, () => assert.throws(() => parseSmtpUrl(url)));
}

test('an address is one mailbox, without anything that a parser could split', () => {
  for (const address of ['a@b.example', 'ärger@b.example', "o'neil+x@b.example"]) {
    assert.ok(isMailAddress(address), address);
  }
  for (const address of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example,c@d.example',
    '"a b"@c.example',
    'a@b@c.example',
    '<a@b.example>',
    'a(c)@b.example',
    '@b.example',
    `${'a'.repeat(65)}@b.example`,
  ]) {
    assert.ok(!isMailAddress(address), address);
  }
});

test('the sender is an address, with or without a name', () => {
  const address = 'a@b.example';
  assert.deepEqual(parseSender('Paper Boat <a@b.example>'), { name: 'Paper Boat', address });
  assert.deepEqual(parseSender('a@b.example'), { name: 'vidgen', address });
  for (const text of ['Paper Boat', 'x\r\nBcc: <a@b.example>', 'a@b.example, c@d.example']) {
    assert.equal(parseSender(text), null, text);
  }
});

test('sealed content opens only with its key and for its message', () => {
  const sealer = createSealer(Buffer.alloc(32, 1));
  const sealed = sealer.seal('mail_1', 'the link');
  assert.ok(!sealed.includes('link'));
  assert.equal(sealer.open('mail_1', sealed), 'the link');
  assert.throws(() => sealer.open('mail_2', sealed));
  assert.throws(() => createSealer(Buffer.alloc(32, 2)).open('mail_1', sealed));
  sealed[30]! ^= 1;
  assert.throws(() => sealer.open('mail_1', sealed));
});
