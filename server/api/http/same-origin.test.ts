/** Which requests with a cookie count as coming from pages of the service. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { requireSameOrigin } from './request-origin.ts';

const publicUrl = 'https://videos.example.com';
const json = 'application/json';

type Headers = Record<string, string | undefined>;
function isTaken(
  method: string,
  headers: Headers,
  { rawBody = false }: { rawBody?: boolean } = {},
): boolean {
  try {
    requireSameOrigin({ method, headers }, { publicUrl, rawBody });
    return true;
  } catch (error) {
    assert(error instanceof ApiError && error.code === 'forbidden');
    return false;
  }
}

const host = 'videos.example.com';
const ownOrigin = publicUrl;
const sites: readonly (readonly [string | undefined, string | undefined, boolean])[] = [
  // `Sec-Fetch-Site` decides, whatever `Origin` is.
  ['same-origin', undefined, true],
  ['same-origin', ownOrigin, true],
  ['same-origin', 'https://evil.example', true],
  ['none', undefined, true],
  ['same-site', undefined, false],
  ['same-site', ownOrigin, false],
  ['cross-site', undefined, false],
  ['cross-site', ownOrigin, false],
  ['', ownOrigin, false],
  ['Same-Origin', ownOrigin, false],
  // Without it, `Origin` must be the service.
  [undefined, ownOrigin, true],
  [undefined, 'https://VIDEOS.example.com', true],
  [undefined, 'http://videos.example.com', true],
  [undefined, 'https://videos.example.com:8443', false],
  [undefined, 'https://evil.example', false],
  [undefined, 'https://videos.example.com.evil.example', false],
  [undefined, 'null', false],
  [undefined, '', false],
  [undefined, undefined, false],
];

describe('the origin', () => {
  for (const [site, origin, expected] of sites) {
    test(`Sec-Fetch-Site ${site}, Origin ${origin}: ${expected ? 'accepted' : 'rejected'}`, () => {
      const headers = { host, 'sec-fetch-site': site, origin, 'content-type': json };
      for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
        assert.equal(isTaken(method, headers), expected, method);
      }
      for (const method of ['GET', 'HEAD']) assert.equal(isTaken(method, headers), true, method);
    });
  }

  test('the host of the request counts as the service, even if it is not the public URL', () => {
    const local = { host: '127.0.0.1:8787', origin: 'http://127.0.0.1:8787' };
    assert.equal(isTaken('POST', local), true);
    assert.equal(isTaken('POST', { ...local, origin: 'http://127.0.0.1:9999' }), false);
  });
});

const types: readonly (readonly [string | undefined, boolean, boolean])[] = [
  // Content type, whether it passes as JSON, whether as raw bytes.
  [json, true, true],
  ['application/json; charset=utf-8', true, true],
  ['APPLICATION/JSON', true, true],
  ['application/jsonp', false, true],
  ['text/plain', false, false],
  ['text/plain; application/json', false, false],
  ['application/x-www-form-urlencoded', false, false],
  ['multipart/form-data; boundary=x', false, false],
  ['image/png', false, true],
  [undefined, false, false],
  ['', false, false],
];

describe('the content type', () => {
  for (const [type, asJson, asBytes] of types) {
    test(`${type ?? 'nothing'}`, () => {
      const own = { host, 'sec-fetch-site': 'same-origin', 'content-length': '7' };
      const headers = { ...own, 'content-type': type };
      assert.equal(isTaken('POST', headers), asJson);
      assert.equal(isTaken('POST', headers, { rawBody: true }), asBytes);
    });
  }

  test('no content type is needed without a body', () => {
    for (const length of [undefined, '0']) {
      const headers = { host, 'sec-fetch-site': 'same-origin', 'content-length': length };
      assert.equal(isTaken('DELETE', headers), true);
    }
    const chunked = { host, 'sec-fetch-site': 'same-origin', 'transfer-encoding': 'chunked' };
    assert.equal(isTaken('POST', chunked), false);
  });
});
