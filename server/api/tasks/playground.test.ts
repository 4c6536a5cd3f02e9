/** The playground over HTTP: a person creates tasks with a key that belongs to the playground. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { CreateGenerationResponse } from '@vidgen/contract/create-generation.ts';
import { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';

const journey = await useJourney();

/** An account with a member of each role that matters here. */
async function openPlayground() {
  const { service } = journey;
  const account = await service.account({ live: 100, test: 100 });
  const developer = await newMember(service, { accountId: account.id, role: 'developer' });
  const generations = `/admin/accounts/${account.id}/generations`;
  return { service, account, developer, generations };
}

const keysOf = async (accountId: string): Promise<string[]> => {
  const { rows } = await journey.service.db.query<{ id: string }>(
    'select id from api_keys where account_id = $1 and playground',
    [accountId],
  );
  return rows.map(({ id }) => id);
};

describe('create', () => {
  test('responds like the contract’s create, reserves credits, and completes', async () => {
    const { service, account, developer, generations } = await openPlayground();
    const { status, headers, body } = await developer.post(`${generations}?mode=live`, textToVideo);
    assert.equal(status, 200, JSON.stringify(body));
    const { taskId, credits } = CreateGenerationResponse.parse(body);
    assert.equal(headers.get('x-ratelimit-limit'), '100');
    assert.equal((await account.client.final(taskId)).status, 'completed');
    assert.equal((await balanceOf(service, account.id)).live.available, 100 - credits);
    const { body: shown } = await developer.get(`/admin/tasks/${taskId}`);
    const { key, request, request_id, created_by } = AdminTaskDetail.parse(shown);
    assert.equal(key.name, 'Playground');
    assert.equal(request_id, headers.get('x-request-id'));
    assert.equal(created_by, developer.email);
    // The shown request can be sent again.
    const again = await developer.post(`${generations}?mode=live`, request);
    assert.equal(again.status, 200, JSON.stringify(again.body));
  });

  test('creates one key per mode, even with two concurrent first requests', async () => {
    const { account, developer, generations } = await openPlayground();
    // Not rendered: what becomes of the tasks does not matter here.
    const failing = { ...textToVideo, input: { ...textToVideo.input, prompt: '[test:fail]' } };
    const create = (mode: string) => developer.post(`${generations}?mode=${mode}`, failing);
    const responses = await Promise.all(['live', 'live', 'test', 'live', 'test'].map(create));
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
    assert.equal((await keysOf(account.id)).length, 2);
  });

  test('the key is not listed and cannot be revoked', async () => {
    const { service, account, developer, generations } = await openPlayground();
    await developer.post(`${generations}?mode=live`, textToVideo);
    const [hidden] = await keysOf(account.id);
    const { body } = await developer.get(`/admin/accounts/${account.id}/keys`);
    const listed = ListKeysResponse.parse(body).items;
    assert.deepEqual(pluck(listed, 'id'), [account.keyId]);
    assertApiError(await service.admin.send('DELETE', `/admin/keys/${hidden}`), 'not_found');
    const { status } = await developer.post(`${generations}?mode=live`, textToVideo);
    assert.equal(status, 200);
  });

  test('enforces the rate limit and says when to retry', async () => {
    const { service, account, developer, generations } = await openPlayground();
    await service.admin.send('PATCH', `/admin/accounts/${account.id}`, { creates_per_minute: 1 });
    assert.equal((await developer.post(`${generations}?mode=live`, textToVideo)).status, 200);
    const second = await developer.post(`${generations}?mode=live`, textToVideo);
    assert(assertApiError(second, 'rate_limited').retry_after! > 0);
  });

  test('rejects closed accounts', async () => {
    const { service, account, developer, generations } = await openPlayground();
    await service.admin.post(`/admin/accounts/${account.id}/close`);
    assertApiError(
      await developer.post(`${generations}?mode=test`, textToVideo),
      'invalid_request',
      /closed/,
    );
  });
});

test('an estimate has price, balance, and the times of similar tasks of all accounts', async () => {
  const { service, account, generations } = await openPlayground();
  const viewer = await newMember(service, { accountId: account.id, role: 'viewer' });
  const input = { prompt: 'A lighthouse', resolution: '480p', duration: 7 };
  const wanted = { model: 'vidgen-2-0-fast', input };
  const requestEstimate = async () => {
    const { body } = await viewer.post(`${generations}/estimate?mode=live`, wanted);
    return PlaygroundEstimate.parse(body);
  };
  const before = await requestEstimate();
  assert.deepEqual([before.available, before.time], [100, null]);
  const other = await service.account({ live: 100 });
  const { body } = await other.client.create(wanted);
  assert.equal(body.credits, before.credits);
  await other.client.final(String(body.taskId));
  const { time } = await requestEstimate();
  assert.equal(time?.tasks, 1);
  assert.equal(time.p50_seconds, time.p95_seconds);
  // An estimate creates no key.
  assert.deepEqual(await keysOf(account.id), []);
});
