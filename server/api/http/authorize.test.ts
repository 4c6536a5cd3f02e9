/** Key, permission, rate limit: the order, what counts, and the headers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import {
  clientOf,
  type HttpResponse,
  testAdminToken,
  useService,
} from '../../../proof/kit/service.ts';
import { hasAdminToken } from './authorize.ts';
import type { ApiServices } from './handler.ts';

const createLimit = 3;
const statusLimit = 5;
const service = await useService({
  environment: {
    VIDGEN_ROLE: 'api',
    VIDGEN_RATE_CREATE: String(createLimit),
    VIDGEN_RATE_STATUS: String(statusLimit),
  },
});

const broken = '{"model": ';
const mistyped = 'vg_live_mistyped';
const remaining = ({ headers }: HttpResponse) => headers.get('x-ratelimit-remaining');

function assertRate({ headers }: HttpResponse, limit: number): void {
  assert.equal(headers.get('x-ratelimit-limit'), String(limit));
  for (const name of ['x-ratelimit-remaining', 'x-ratelimit-reset']) {
    const figure = Number(headers.get(name));
    assert(headers.get(name) !== null && Number.isInteger(figure) && figure >= 0, name);
    assert(figure <= Math.max(limit, 60), `${name}: ${figure}`);
  }
}

/** An account whose key has reached its create limit. */
async function exhausted(options: Parameters<typeof service.account>[0]) {
  const account = await service.account(options);
  for (let at = 0; at < createLimit; at++) {
    assert.notEqual((await account.client.create(broken)).status, 429);
  }
  return account;
}

describe('the order of checks', () => {
  test('401 before everything: a wrong key with an invalid body', async () => {
    const response = await clientOf(service.url, mistyped).create(broken);
    assertApiError(response, 'invalid_api_key');
  });

  test('401 before 404, and 404 counts, even for an id with NUL', async () => {
    assertApiError(await clientOf(service.url, mistyped).get('/v1/tasks/%00'), 'invalid_api_key');
    const { client } = await service.account({ live: 10 });
    const response = await client.get('/v1/tasks/%00');
    assertApiError(response, 'not_found');
    assertRate(response, statusLimit);
  });

  test('403 before 429: a key without the permission is not rate limited', async () => {
    const permissions = ['tasks:read'];
    const { client } = await service.account({ live: 10, permissions });
    for (let at = 0; at < createLimit + 2; at++) {
      assertApiError(await client.create(broken), 'forbidden');
    }
  });

  test('429 before 400: the body of a rate-limited request is not read', async () => {
    const { client } = await exhausted({ live: 10 });
    assertApiError(await client.create(broken), 'rate_limited');
    assertApiError(await client.create('x'.repeat(2 * 1024 * 1024)), 'rate_limited');
  });

  test('400 before 402: without credits, an invalid request is still reported', async () => {
    const { client } = await service.account();
    assertApiError(await client.create({ ...textToVideo, model: 'x' }), 'invalid_request');
    assertApiError(await client.create(textToVideo), 'insufficient_credits');
  });
});

describe('what counts against the rate limit', () => {
  test('every response but 401, 403 and 429: 200, 400 and 402 count', async () => {
    const { client } = await service.account({ live: 5 });
    const responses = [
      await client.create(textToVideo),
      await client.create(broken),
      await client.create(textToVideo),
    ];
    assert.deepEqual(
      responses.map((response) => [response.status, remaining(response)]),
      [
        [200, '2'],
        [400, '1'],
        [402, '0'],
      ],
    );
    assertApiError(await client.create(textToVideo), 'rate_limited');
  });

  test('extensions count in the status window, even when they fail', async () => {
    const { client } = await service.account({ live: 5 });
    const responses = [
      await client.get('/v1/tasks'),
      await client.get('/v1/tasks/unknown'),
      await client.get('/v1/models'),
      await client.post('/v1/videos/generations/estimate', broken),
      await client.post('/v1/tasks/unknown/cancel'),
    ];
    assert.deepEqual(
      responses.map((response) => [response.status, remaining(response)]),
      [
        [200, '4'],
        [404, '3'],
        [200, '2'],
        [400, '1'],
        [404, '0'],
      ],
    );
    assertApiError(await client.get('/v1/credits'), 'rate_limited');
  });
});

describe('the rate limit headers', () => {
  test('are on every response of a limited endpoint', async () => {
    const { client } = await service.account({ live: 5 });
    const { client: reader } = await service.account({ permissions: ['tasks:read'] });
    const unknownKey = clientOf(service.url, mistyped);
    for (const response of [
      await client.create(textToVideo),
      await client.create(broken),
      await client.create(textToVideo),
      await client.create(textToVideo),
      await reader.create(textToVideo),
      await unknownKey.create(textToVideo),
    ]) {
      assertRate(response, createLimit);
    }
    for (const path of ['/v1/tasks/x', '/v1/tasks', '/v1/tasks?limit=0', '/v1/models']) {
      assertRate(await client.get(path), statusLimit);
      assertRate(await unknownKey.get(path), statusLimit);
    }
  });

  test('Retry-After equals retry_after of the body and x-ratelimit-reset', async () => {
    const account = await exhausted({ live: 10 });
    const response = await account.client.create(textToVideo);
    const { retry_after, message } = assertApiError(response, 'rate_limited');
    assert(retry_after! >= 1 && retry_after! <= 60);
    assert.equal(response.headers.get('retry-after'), String(retry_after));
    assert.equal(response.headers.get('x-ratelimit-reset'), String(retry_after));
    assert.equal(remaining(response), '0');
    const expected = `${createLimit} create requests .* in ${retry_after} seconds?\\.$`;
    assert.match(message, new RegExp(expected));
  });
});

test('the admin token must match exactly, in length, case and script', () => {
  const accepts = (adminToken: string, given: string | undefined) =>
    hasAdminToken({ adminToken } as ApiServices, given);
  const token = testAdminToken;
  assert(accepts(token, `Bearer ${token}`) && accepts(token, `bearer  ${token} `));
  const wrong = [
    '',
    token.slice(0, -1),
    `${token}x`,
    `${token} ${token}`,
    token.toUpperCase(),
    ` ${token}`.trimEnd().slice(2),
    [...token].reverse().join(''),
    `${token}\0`,
  ];
  for (const one of wrong) assert(!accepts(token, `Bearer ${one}`), one);
  for (const header of [undefined, '', token, `Basic ${token}`, `Bearer${token}`]) {
    assert(!accepts(token, header), header);
  }
  // Node decodes headers as Latin-1, one character per byte.
  const script = 'ein Schlüssel für Prüfungen, 図 und mehr';
  assert(accepts(script, `Bearer ${Buffer.from(script).toString('latin1')}`));
  assert(!accepts(script, `Bearer ${script.normalize('NFD')}`));
});
