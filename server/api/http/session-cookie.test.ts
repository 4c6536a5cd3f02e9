/** The cookie has every protection that the public URL allows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clearedCookie, readCookie, sessionCookie } from './session-cookie.ts';

const token = 'pX3kQ9vT0mB7nR5wZc4hG8sK2mQ9xT1vB7nR5wZc4hG';
const secure = '__Host-vidgen_session';
const plain = 'vidgen_session';

const names: readonly (readonly [string, string])[] = [
  ['https://videos.example.com', secure],
  ['https://10.0.0.7:8443', secure],
  ['http://127.0.0.1:8787', secure],
  ['http://127.8.8.8', secure],
  ['http://localhost:8787', secure],
  ['http://vidgen.localhost', secure],
  ['http://[::1]:8787', secure],
  ['http://videos.example.com', plain],
  ['http://192.168.1.20:8787', plain],
  ['http://0.0.0.0:8787', plain],
  ['http://localhost.example.com', plain],
  ['http://127.0.0.1.example.com', plain],
];

describe('name and attributes', () => {
  for (const [publicUrl, name] of names) {
    test(`${publicUrl}: ${name}`, () => {
      const [pair, ...attributes] = sessionCookie(publicUrl, token).split('; ');
      assert.equal(pair, `${name}=${token}`);
      // `__Host-`: Secure, Path=/ and no Domain (RFC 6265bis, 4.1.3.2).
      const wanted = ['Path=/', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Lax'];
      assert.deepEqual(attributes, name === secure ? [...wanted, 'Secure'] : wanted);
      assert.match(clearedCookie(publicUrl)['set-cookie']!, new RegExp(`^${name}=; .*Max-Age=0;`));
    });
  }
});

test('is found among other cookies, by its full name only', () => {
  const https = 'https://videos.example.com';
  const http = 'http://videos.example.com';
  const read = (header: string | undefined, publicUrl = https) => readCookie(header, publicUrl);
  assert.equal(read(`${secure}=${token}`), token);
  assert.equal(read(`a=b; ${secure}=${token};c=d`), token);
  assert.equal(read(`${plain}=${token}`, http), token);
  const others = ['=', '=short', `="${token}"`, `=${token}'--`, `=${'x'.repeat(201)}`, ''];
  const named = others.map((rest) => secure + rest);
  for (const other of [undefined, '', `${plain}=${token}`, `x${secure}=${token}`, ...named]) {
    assert.equal(read(other), null, String(other));
  }
  assert.equal(read(`${secure}=${token}`, http), null);
});
