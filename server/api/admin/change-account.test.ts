/** The names that scripts of operators rely on: changes of an account, corrections and caps. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { clientOf, startService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

test('changes the fields that are sent, and logs each kind of change', async () => {
  const { id } = await service.account();
  const path = `/admin/accounts/${id}`;
  const patch = (body?: object) => service.admin.send('PATCH', path, body);
  const all = { name: 'Boats', creates_per_minute: 7, running_max: 2, low_balance: 50 };
  const { status, body } = await patch(all);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.name, body.limits],
    ['Boats', { creates_per_minute: 7, running_tasks: 2 }],
  );
  const alert = async () => (await service.admin.get(`${path}/balance-alert`)).body;
  assert.deepEqual(await alert(), { threshold: 50 });
  const { body: changed } = await patch({ running_max: null, low_balance: null });
  assert.deepEqual(
    [changed.name, changed.limits],
    ['Boats', { creates_per_minute: 7, running_tasks: null }],
  );
  assert.deepEqual(await alert(), { threshold: null });
  assert.equal((await patch({})).status, 200);
  const { body: log } = await service.admin.get(`/admin/audit-log?subject=${id}&limit=5`);
  assert.deepEqual(
    (log.items as { action: string }[]).map(({ action }) => action),
    ['balance_alert.set', 'limits.set', 'balance_alert.set', 'limits.set', 'account.rename'],
  );
});

test('names every wrong field, and then changes nothing', async () => {
  const { id } = await service.account({ name: 'Before' });
  const path = `/admin/accounts/${id}`;
  const wrong = { name: '', creates_per_minute: -1, running_max: 1.5, low_balance: 0, color: 1 };
  const { message } = assertApiError(
    await service.admin.send('PATCH', path, wrong),
    'invalid_request',
  );
  assert.match(message, /^running_max must be an integer \(got 1\.5\); color is not a known field/);
  const rules = { name: 'After', creates_per_minute: -1, low_balance: 0 };
  const response = await service.admin.send('PATCH', path, rules);
  assertApiError(response, 'invalid_request', /creates_per_minute .*; low_balance /);
  assert.equal((await service.admin.get(path)).body.name, 'Before');
  const unknown = '/admin/accounts/0b54ad3f-5a0c-4f27-9d0e-0a4f8a1f2b3c';
  assertApiError(await service.admin.send('PATCH', unknown, { name: 'x' }), 'not_found');
});

test('a negative amount corrects a grant, once per reference and never below zero', async () => {
  const { id } = await service.account({ live: 100 });
  const book = (amount: number, reference?: string) =>
    service.admin.post(`/admin/accounts/${id}/credits`, {
      ...{ amount, mode: 'live', note: 'Invoice 17 was for 60' },
      ...(reference === undefined ? {} : { reference }),
    });
  const { status, body } = await book(-40, 'fix');
  assert.deepEqual([status, body.kind, body.amount], [201, 'deduct', 40]);
  assert.equal((await book(-40, 'fix')).body.id, body.id);
  const message = 'amount must be at least -60, as 60 live credits are available (got -61)';
  assert.equal(assertApiError(await book(-61), 'invalid_request').message, message);
  assertApiError(await book(0), 'invalid_request', /^amount must not be 0/);
  const note = await service.admin.post(`/admin/accounts/${id}/credits`, {
    ...{ amount: -1, mode: 'live' },
  });
  assertApiError(note, 'invalid_request', /note is required/);
  const both = await Promise.all([book(-60), book(-60)]);
  assert.deepEqual(both.map((one) => one.status).toSorted(), [201, 400]);
  const { body: empty } = await service.admin.get(`/admin/accounts/${id}`);
  assert.equal((empty.balance as { live: { available: number } }).live.available, 0);
});

test('a key is created with a spend_cap, and an account is suspended without a note', async () => {
  const { id } = await service.account({ live: 100 });
  const keys = `/admin/accounts/${id}/keys`;
  const cap = { credits: 1, period: 'day' };
  const request = { name: 'Capped', mode: 'live', spend_cap: cap };
  const { status, body } = await service.admin.post(keys, request);
  assert.equal(status, 201);
  assert.deepEqual((body.spending_cap as typeof cap).period, 'day');
  const client = clientOf(service.url, body.key as string);
  const { available } = assertApiError(await client.create(textToVideo), 'insufficient_credits');
  assert.equal(available, 1);
  const twice = await service.admin.post(keys, { ...request, spending_cap: cap });
  assertApiError(twice, 'invalid_request', 'Send spending_cap or spend_cap, not both.');
  const suspend = (body?: object) => service.admin.post(`/admin/accounts/${id}/suspend`, body);
  assert.equal((await suspend()).body.suspension_note, null);
  await suspend({ note: 'Overdue' });
  assert.equal((await suspend({})).body.suspension_note, 'Overdue');
  assertApiError(await client.get('/v1/credits'), 'invalid_api_key', /suspended/);
  assert.equal((await service.admin.post(`/admin/accounts/${id}/resume`)).status, 200);
  // A rejected key is remembered for a second.
  await waitUntil(async () => (await client.get('/v1/credits')).status === 200);
});
