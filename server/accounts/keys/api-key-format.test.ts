/** The format of API keys, checked without a database lookup. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { digestKey, generateKey, keyPepper, parseKeyMode } from './api-key-format.ts';

test('generates unique, well-formed keys of both modes', () => {
  const keys = Array.from({ length: 500 }, (_, at) => generateKey(at % 2 === 0 ? 'live' : 'test'));
  assert.equal(new Set(keys).size, keys.length);
  for (const [at, key] of keys.entries()) {
    assert.match(key, /^vg_(live|test)_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
    assert.equal(parseKeyMode(key), at % 2 === 0 ? 'live' : 'test');
  }
});

test('the last six characters are the base62 CRC-32 of the rest', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const key = generateKey('live');
  const sum = [...key.slice(-6)].reduce((total, digit) => total * 62 + digits.indexOf(digit), 0);
  assert.equal(sum, crc32(key.slice(0, -6)));
});

test('changing any one character makes a key malformed', () => {
  const key = generateKey('test');
  const position = fc.integer({ min: 0, max: key.length - 1 });
  const character = fc.constantFrom(...'0189AZaz_-~ é');
  fc.assert(
    fc.property(position, character, (at, other) => {
      fc.pre(key[at] !== other);
      assert.equal(parseKeyMode(key.slice(0, at) + other + key.slice(at + 1)), null);
    }),
  );
});

test('rejects everything that is not a key', () => {
  const key = generateKey('live');
  for (const text of [
    '',
    'vg_live_',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.replace('vg_live_', 'vg_prod_'),
    // The checksum covers the mode: a live key cannot be turned into a test key.
    key.replace('vg_live_', 'vg_test_'),
    key.toUpperCase(),
  ]) {
    assert.equal(parseKeyMode(text), null, JSON.stringify(text));
  }
});

test('a digest depends on the key and on the pepper, and does not contain the key', () => {
  const pepper = keyPepper('a secret');
  const key = generateKey('live');
  assert.match(digestKey(key, pepper), /^[0-9a-f]{64}$/);
  assert.equal(digestKey(key, pepper), digestKey(key, keyPepper('a secret')));
  assert.notEqual(digestKey(key, pepper), digestKey(key, keyPepper('another secret')));
  assert.notEqual(digestKey(key, pepper), digestKey(generateKey('live'), pepper));
  assert.notEqual(digestKey(key, pepper), digestKey(key, createSecretKey(Buffer.from('a secret'))));
});
