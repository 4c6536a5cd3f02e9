/**
 * Limits of one account, deductions and spending caps over HTTP: figures, dialects, audit log, and
 * who may set them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LimitsUse } from '@vidgen/contract/account-controls.ts';
import { Account, ApiKey, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { type HttpResponse, startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

const post = (path: string, body?: unknown) => service.admin.post(path, body);
const lastAction = async (subject: string) => {
  const { body } = await service.admin.get(`/admin/audit-log?subject=${subject}`);
  const [{ action, detail }] = body.items as [{ action: string; detail: object }];
  return [action, detail];
};
const limitsOf = async (id: string) =>
  LimitsUse.parse((await service.admin.get(`/admin/accounts/${id}/limits`)).body);

/** One create in each dialect. */
const dialects: readonly [string, string, object][] = [
  ['OpenAI', '/v1/videos', { model: textToVideo.model, prompt: 'A boat' }],
  ['OpenRouter', '/api/v1/videos', { model: textToVideo.model, prompt: 'A boat' }],
  [
    'ModelArk',
    '/api/v3/contents/generations/tasks',
    { model: textToVideo.model, content: [{ type: 'text', text: 'A boat' }] },
  ],
];
const messageOf = ({ body }: HttpResponse) => (body.error as { message: string }).message;

describe('limits of one account', () => {
  test('creates per minute: the account is limited over all keys, and shows its use', async () => {
    const { id, client } = await service.account({ live: 1000 });
    const { status, body } = await post(`/admin/accounts/${id}/limits`, { creates_per_minute: 3 });
    assert.equal(status, 200);
    assert.deepEqual(Account.parse(body).limits, { creates_per_minute: 3, running_tasks: null });
    assert.deepEqual(await lastAction(id), ['limits.set', { creates_per_minute: 3 }]);
    for (let sent = 0; sent < 3; sent++)
      assert.equal((await client.create(textToVideo)).status, 200);
    const refused = await client.create(textToVideo);
    assertApiError(refused, 'rate_limited', /^Rate limit of 3 create requests of this account per/);
    assert.deepEqual((await limitsOf(id)).creates_per_minute, { limit: 3, used: 3 });
    await post(`/admin/accounts/${id}/limits`, { creates_per_minute: null });
    assert.equal((await client.create(textToVideo)).status, 200);
    assert.equal((await limitsOf(id)).creates_per_minute.limit, 1000);
  });

  test('tasks in progress: 429 with Retry-After in every dialect', async () => {
    const { id, client } = await service.account({ live: 1000, test: 100 });
    await post(`/admin/accounts/${id}/limits`, { running_tasks: 2 });
    for (let sent = 0; sent < 2; sent++)
      assert.equal((await client.create(textToVideo)).status, 200);
    const message =
      'Limit of 2 tasks in progress for this account reached; retry in 10 seconds, or when a ' +
      'task has ended.';
    const refused = await client.create(textToVideo);
    const { retry_after } = assertApiError(refused, 'rate_limited', message);
    assert.deepEqual([retry_after, refused.headers.get('retry-after')], [10, '10']);
    for (const [dialect, path, body] of dialects) {
      const response = await client.post(path, body);
      assert.equal(response.status, 429, `${dialect} ${JSON.stringify(response.body)}`);
      assert.equal(messageOf(response), message, dialect);
    }
    assert.deepEqual((await limitsOf(id)).running_tasks, { limit: 2, live: 2, test: 0 });
  });

  test('wrong figures are named', async () => {
    const { id } = await service.account();
    for (const [body, message] of [
      [{ running_tasks: -1 }, 'running_tasks must be at least 0 (got -1)'],
      [{ creates_per_minute: '5' }, /^creates_per_minute must be an integer .*did you mean 5\?$/],
      [{ tasks: 1 }, /^tasks is not a known field/],
    ] as const) {
      assertApiError(await post(`/admin/accounts/${id}/limits`, body), 'invalid_request', message);
    }
  });
});

describe('a deduction', () => {
  const deduct = (id: string, changes: object = {}) =>
    post(`/admin/accounts/${id}/deductions`, {
      ...{ amount: 40, mode: 'live', note: 'Invoice was for 60' },
      ...changes,
    });

  test('is in the ledger and the audit log, and never exceeds what is available', async () => {
    const { id, client } = await service.account({ live: 100 });
    await client.create(textToVideo);
    const { status, body } = await deduct(id);
    assert.equal(status, 201);
    const entry = LedgerEntry.parse(body);
    assert.deepEqual(
      [entry.kind, entry.source, entry.target, entry.amount, entry.balance_after.available],
      ['deduct', 'available', 'outside', 40, 55],
    );
    const detail = { amount: 40, mode: 'live', note: 'Invoice was for 60', reference: null };
    assert.deepEqual(await lastAction(id), ['credits.deduct', detail]);
    const refused = await deduct(id, { amount: 56 });
    const message = 'amount must be at most 55, the live credits that are available (got 56)';
    assertApiError(refused, 'invalid_request', message);
    const listed = await service.admin.get(`/admin/accounts/${id}/ledger?kind=deduct`);
    assert.deepEqual(listed.body.items, [{ ...entry, prompt: null }]);
    assert.equal((await deduct(id, { amount: 55 })).status, 201);
    await service.assertInvariants();
  });

  test('is booked once for each reference, which a grant does not share', async () => {
    const { id } = await service.account({ live: 100 });
    const both = await Promise.all([
      deduct(id, { reference: 'fix-1' }),
      deduct(id, { reference: 'fix-1' }),
    ]);
    assert.deepEqual(both[0].body, both[1].body);
    const grant = { amount: 40, mode: 'live', note: 'n', reference: 'fix-1' };
    const granted = await post(`/admin/accounts/${id}/credits`, grant);
    assertApiError(granted, 'invalid_request', /^The reference was booked as a deduct with 40/);
    const { balance } = Account.parse((await service.admin.get(`/admin/accounts/${id}`)).body);
    assert.equal(balance.live.available, 60);
  });

  test('needs a note, an open account and a positive amount', async () => {
    const { id } = await service.account({ live: 100 });
    assertApiError(await deduct(id, { note: ' ' }), 'invalid_request', /^note must not be empty/);
    assertApiError(
      await deduct(id, { amount: -5 }),
      'invalid_request',
      /^amount must be at least 1/,
    );
    await post(`/admin/accounts/${id}/close`);
    const message = 'The account is closed; credits cannot be deducted.';
    assertApiError(await deduct(id), 'invalid_request', message);
  });
});

describe('a spending cap', () => {
  test('answers 402 with its figures in every dialect, and shows its use', async () => {
    const { id, client, keyId } = await service.account({ live: 1000 });
    const set = await post(`/admin/keys/${keyId}/spending-cap`, {
      spending_cap: { credits: 12, period: 'total' },
    });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    for (let sent = 0; sent < 2; sent++)
      assert.equal((await client.create(textToVideo)).status, 200);
    const refused = await client.create(textToVideo);
    const { required, available } = assertApiError(
      refused,
      'insufficient_credits',
      'This task costs 5 credits, and this API key has used 10 of its cap of 12 credits in all; ' +
        'ask an account owner to raise the cap.',
    );
    assert.deepEqual([required, available], [5, 2]);
    for (const [dialect, path, body] of dialects) {
      const response = await client.post(path, body);
      assert.equal(response.status, 402, `${dialect} ${JSON.stringify(response.body)}`);
      assert.match(messageOf(response), /has used 10 of its cap of 12 credits in all/, dialect);
    }
    const listed = await service.admin.get(`/admin/accounts/${id}/keys`);
    const cap = { credits: 12, period: 'total', used: 10, renews_at: null };
    assert.deepEqual((listed.body.items as ApiKey[])[0]!.spending_cap, cap);
    const removed = await post(`/admin/keys/${keyId}/spending-cap`, { spending_cap: null });
    assert.equal(ApiKey.parse(removed.body).spending_cap, null);
    assert.deepEqual(await lastAction(keyId), ['key.spending_cap', { spending_cap: null }]);
    assert.equal((await client.create(textToVideo)).status, 200);
  });

  test('can be given to a new key, and renews at midnight in UTC', async () => {
    const { id } = await service.account({ live: 100 });
    const spending_cap = { credits: 5, period: 'day' };
    const request = { name: 'Capped', mode: 'live', spending_cap };
    const { status, body } = await post(`/admin/accounts/${id}/keys`, request);
    assert.equal(status, 201, JSON.stringify(body));
    const { used, renews_at } = (body as unknown as ApiKey).spending_cap!;
    assert.equal(used, 0);
    assert.equal(renews_at! % 86_400, 0);
    const client = service.client(body.key as string);
    assert.equal((await client.create(textToVideo)).status, 200);
    assertApiError(
      await client.create(textToVideo),
      'insufficient_credits',
      /credits per day; ask/,
    );
  });

  test('is set by owners, not by developers, nor by an owner who has lost the role', async () => {
    const { id, keyId } = await service.account({ live: 100 });
    const developer = await newMember(service, { accountId: id, role: 'developer' });
    const owner = await newMember(service, { accountId: id, role: 'owner' });
    const body = { spending_cap: { credits: 5, period: 'day' } };
    const path = `/admin/keys/${keyId}/spending-cap`;
    assertApiError(await developer.post(path, body), 'forbidden', /^This requires the owner role/);
    assert.equal((await owner.post(path, body)).status, 200);
    // The demotion commits while the request waits for the lock of the membership.
    const locked = Promise.withResolvers<void>();
    const demoted = Promise.withResolvers<void>();
    const holding = service.db.transaction(async (tx) => {
      await tx.query('select from memberships where account_id = $1 for update', [id]);
      locked.resolve();
      await demoted.promise;
      await tx.query(`update memberships set role = 'viewer' where person_id = $1`, [
        owner.personId,
      ]);
    });
    await locked.promise;
    const raising = owner.post(path, { spending_cap: null });
    demoted.resolve();
    await holding;
    assertApiError(await raising, 'forbidden', /^This requires the owner role/);
    const listed = await service.admin.get(`/admin/accounts/${id}/keys`);
    assert.equal((listed.body.items as ApiKey[])[0]!.spending_cap?.credits, 5);
  });
});
