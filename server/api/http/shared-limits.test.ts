/** Limits beside those of a key: of an account over all its keys, and of a signed-in person. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';
import { createRoutes } from '../routes.ts';

const limits = { VIDGEN_RATE_CREATE: '4', VIDGEN_RATE_CREATE_ACCOUNT: '6' };
const queries = { VIDGEN_RATE_STATUS: '4', VIDGEN_RATE_STATUS_ACCOUNT: '6' };
const service = await useService({ environment: { VIDGEN_ROLE: 'api', ...limits, ...queries } });

describe('an account', () => {
  const requests = {
    creates: (client: ReturnType<typeof service.client>) => client.create(textToVideo),
    'other requests': (client: ReturnType<typeof service.client>) => client.get('/v1/credits'),
  };
  for (const [what, send] of Object.entries(requests)) {
    test(`has one limit of ${what} over all its keys`, async () => {
      const account = await service.account({ live: 1000 });
      const second = await account.otherClient();
      for (let sent = 0; sent < 4; sent++) assert.equal((await send(account.client)).status, 200);
      // A request that the key's own limit rejects does not count for the account.
      assertApiError(await send(account.client), 'rate_limited');
      for (let sent = 0; sent < 2; sent++) assert.equal((await send(second)).status, 200);
      const rejected = await send(second);
      const { message, retry_after } = assertApiError(rejected, 'rate_limited');
      assert.match(message, /^Rate limit of 6 .* of this account per minute exceeded/);
      assert(retry_after! > 50 && retry_after! <= 60);
      assert.equal(rejected.headers.get('x-ratelimit-remaining'), '2');
      const other = await service.account({ live: 100 });
      assert.equal((await send(other.client)).status, 200);
    });
  }
});

test('a create that gets 429 later counts neither for the key nor for the account', async () => {
  const account = await service.account({ live: 1000 });
  const path = `/admin/accounts/${account.id}`;
  const create = () => account.client.create(textToVideo);
  await service.admin.send('PATCH', path, { running_max: 1 });
  assert.equal((await create()).status, 200);
  for (let sent = 0; sent < 6; sent++) {
    assertApiError(await create(), 'rate_limited', /in progress/);
  }
  await service.admin.send('PATCH', path, { running_max: null });
  for (let sent = 0; sent < 3; sent++) assert.equal((await create()).status, 200);
  assertApiError(await create(), 'rate_limited', /^Rate limit of 4 create requests per minute/);
});

describe('a signed-in person', () => {
  const routes = createRoutes({ metrics: { text: async () => '' } });

  test('has a limit for everything that is expensive', () => {
    const expensive = routes.filter(
      ({ auth, operationId, path }) =>
        (auth === 'member' || auth === 'admin') &&
        /export|usage|estimate|picture|material/i.test(`${operationId} ${path}`),
    );
    assert.equal(expensive.length, 4);
    const unlimited = expensive.filter(({ sessionLimit }) => !sessionLimit);
    assert.deepEqual(pluck(unlimited, 'operationId'), []);
  });

  test('shares one limit over all exports, which is not that of others', async () => {
    const { id } = await service.account();
    const viewer = await newMember(service, { accountId: id, role: 'viewer' });
    const owner = await newMember(service, { accountId: id, role: 'owner' });
    const paths = ['tasks', 'ledger', 'usage'].map(
      (what) => `/admin/accounts/${id}/${what}?format=csv&mode=live`,
    );
    const statuses = [];
    for (let sent = 0; sent < 20; sent++) {
      statuses.push((await viewer.get(paths[sent % paths.length]!)).status);
    }
    assert.deepEqual([...new Set(statuses)], [200]);
    for (const path of paths) {
      const { message } = assertApiError(await viewer.get(path), 'rate_limited');
      assert.match(message, /^Rate limit of 20 export requests per minute exceeded/);
    }
    assert.equal((await owner.get(paths[0]!)).status, 200);
    assert.equal((await viewer.get(`/admin/accounts/${id}/usage?mode=live`)).status, 200);
    const response = await fetch(`${service.url}${paths[0]}`, {
      headers: { authorization: 'Bearer an admin token that only tests know' },
    });
    assert.equal(response.status, 200);
  });
});
