/**
 * Which Authorization headers are accepted, and the error for the others (docs/spec.md 5.3, 5.4).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { KeyIdentity } from './api-key.ts';
import { generateKey } from './api-key-format.ts';
import { authenticate } from './authenticate.ts';

const identity: KeyIdentity = {
  keyId: 'key_0',
  accountId: 'b3f7c2d0-0000-4000-8000-000000000000',
  mode: 'test',
  permissions: ['tasks:read'],
  demo: false,
};
const key = generateKey('test');
const verified: string[] = [];
const keys = {
  async verify(text: string) {
    verified.push(text);
    return text === key ? identity : null;
  },
};

const apiErrorOf = async (header: string | undefined): Promise<ApiError> => {
  try {
    await authenticate(keys, header);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  assert.fail(`${header} was let in`);
};

test('accepts an active key, whatever the case of the scheme', async () => {
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key} `]) {
    assert.equal(await authenticate(keys, header), identity);
  }
});

test('rejects what cannot be a key without a lookup and says what to correct', async () => {
  verified.length = 0;
  for (const [header, hint] of [
    [undefined, /Missing Authorization header/],
    ['', /Missing Authorization header/],
    ['  ', /Missing Authorization header/],
    [key, /form "Bearer <API_KEY>"/],
    [`Basic ${key}`, /form "Bearer <API_KEY>"/],
    [`Bearer${key}`, /form "Bearer <API_KEY>"/],
    ['Bearer', /form "Bearer <API_KEY>"/],
    [`Bearer ${key} ${key}`, /form "Bearer <API_KEY>"/],
    [`Bearer ${key.slice(0, -1)}`, /Malformed API key/],
    [`Bearer ${key}x`, /Malformed API key/],
    ['Bearer undefined', /Malformed API key/],
  ] as const) {
    const { code, message } = await apiErrorOf(header);
    assert.equal(code, 'invalid_api_key');
    assert.match(message, hint);
    assert.equal(message.includes(key.slice(8, 40)), false, 'a message never repeats the key');
  }
  assert.deepEqual(verified, []);
});

test('rejects a well-formed inactive key without saying why', async () => {
  const { code, message } = await apiErrorOf(`Bearer ${generateKey('live')}`);
  assert.equal(code, 'invalid_api_key');
  assert.match(message, /unknown, expired or revoked/);
});
