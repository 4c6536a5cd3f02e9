/** Searches, filters, sorts and exports of the lists of administrators, over HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { newAdministrator, newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { copyAccountActivity } from '../../start/maintenance.ts';

type Item = Record<string, unknown> & { readonly id: string };

const { service } = await useJourney({ script: { status: ['completed'] } });
const boats = await service.account({ live: 900, name: 'Paper Boat Studio' });
const tigers = await service.account({ live: 100, test: 50, name: '=Tiger, Inc.' });
const dana = await newMember(service, { accountId: tigers.id, role: 'owner' });
const administrator = await newAdministrator(service);
const created = await boats.client.create({
  ...textToVideo,
  input: { ...textToVideo.input, prompt: 'A zeppelin over a lake' },
});
const taskId = String(created.body.taskId);
await boats.client.final(taskId);
for (const note of ['Launch promo', '=SUM(A1)', 'Apology']) {
  const amount = note.length * 10;
  await service.admin.post('/admin/redemption-codes', { amount, mode: 'live', count: 1, note });
}
await service.admin.send('DELETE', `/admin/keys/${tigers.keyId}`);
while (await service.db.transaction((tx) => copyAccountActivity(tx)));

async function list(path: string, query: Record<string, string> = {}): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = { ...query, limit: '1', ...(cursor === null ? {} : { cursor }) };
    const { status, body } = await service.admin.get(`${path}?${new URLSearchParams(page)}`);
    assert.equal(status, 200, JSON.stringify(body));
    items.push(...(body.items as Item[]));
    cursor = body.next_cursor as string | null;
    if (cursor === null) return items;
  }
}

describe('accounts', () => {
  const cases: [Record<string, string>, string[]][] = [
    [{ balance_max: '100', sort: 'balance' }, ['=Tiger, Inc.']],
    [{ has_tasks: 'false', status: 'open' }, ['=Tiger, Inc.']],
  ];
  for (const [query, expected] of cases) {
    test(`${new URLSearchParams(query)}: ${expected.join(', ')}`, async () => {
      assert.deepEqual(pluck(await list('/admin/accounts', query), 'name'), expected);
    });
  }

  test('say when their newest task was created', async () => {
    const [boat] = await list('/admin/accounts', { q: 'boat' });
    const [task] = await list('/admin/tasks', { q: taskId });
    assert.equal(boat?.last_task_at, task?.created_at);
  });
});

describe('tasks', () => {
  const cases: [Record<string, string>, string[]][] = [
    [{ q: created.headers.get('x-request-id') ?? '?' }, [taskId]],
    [{ q: 'zeppelin', account_id: tigers.id }, []],
    [{ key_id: tigers.keyId }, []],
    [{ provider: 'scripted', q: 'lake' }, [taskId]],
    [{ provider: 'nowhere' }, []],
  ];
  for (const [query, expected] of cases) {
    test(`${Object.keys(query).join(' and ')}: ${expected.length}`, async () => {
      assert.deepEqual(pluck(await list('/admin/tasks', query), 'id'), expected);
    });
  }

  test('a member searches the own account only, and not by provider', async () => {
    const path = (account: string, query: string) => `/admin/accounts/${account}/tasks?${query}`;
    assert.deepEqual((await dana.get(path(tigers.id, 'q=zeppelin'))).body.items, []);
    assertApiError(await dana.get(path(boats.id, 'q=zeppelin')), 'not_found');
    const response = await dana.get(path(tigers.id, 'provider=a'));
    assertApiError(response, 'invalid_request', /^provider is not a known field/);
  });

  test('a member searches so often, and lists as often as needed', async () => {
    const member = await newMember(service, { accountId: tigers.id, role: 'viewer' });
    const path = `/admin/accounts/${tigers.id}/tasks`;
    for (let sent = 0; sent < 120; sent++)
      assert.equal((await member.get(`${path}?q=zeppelin`)).status, 200);
    assertApiError(await member.get(`${path}?q=zeppelin`), 'rate_limited', /120 searches/);
    assert.equal((await member.get(path)).status, 200);
  });
});

test('finds changes by person, action, beginning of an action, account and time', async () => {
  const actions = async (query: Record<string, string>) =>
    pluck(await list('/admin/audit-log', query), 'action');
  assert.deepEqual(await actions({ actor: 'nobody@example.com' }), []);
  assert.deepEqual(await actions({ action: 'codes.create' }), Array(3).fill('codes.create'));
  assert.deepEqual(await actions({ action: 'key.', account_id: tigers.id }), [
    'key.revoke',
    'key.create',
  ]);
  const ofAccount = await actions({ account_id: boats.id });
  assert(ofAccount.includes('account.create') && ofAccount.includes('key.create'));
  assert(!ofAccount.includes('key.revoke'));
  assert.deepEqual(await actions({ created_before: '2020-01-01T00:00:00Z' }), []);
  const all = await actions({});
  assert.equal((await actions({ created_after: '2020-01-01T00:00:00Z' })).length, all.length);
});

test('finds people by words, role and state, sorted by name', async () => {
  const emails = async (query: Record<string, string>) =>
    pluck(await list('/admin/people', query), 'email');
  const { email } = dana;
  assert.deepEqual(await emails({ q: email, sort: 'name' }), [email]);
  assert.deepEqual(await emails({ q: email, role: 'administrator' }), []);
  assert.deepEqual(await emails({ q: email, role: 'member', sort: '-last_seen' }), [email]);
  assert.deepEqual(await emails({ status: 'closed' }), []);
});

test('finds codes by words of the note and by state, sorted by amount', async () => {
  const notes = async (query: Record<string, string>) =>
    pluck(await list('/admin/redemption-codes', query), 'note');
  assert.deepEqual(await notes({ q: 'promo' }), ['Launch promo']);
  assert.deepEqual(await notes({ sort: 'amount' }), ['Apology', '=SUM(A1)', 'Launch promo']);
  assert.deepEqual(await notes({ status: 'redeemed' }), []);
  assert.deepEqual(await notes({ mode: 'test' }), []);
  assert.deepEqual(await notes({ account_id: boats.id }), []);
});

describe('files', () => {
  const cases: [string, Record<string, string>, number, RegExp][] = [
    ['accounts', { q: 'tiger' }, 1, /,"'=Tiger, Inc\."/],
    ['accounts', { sort: 'name' }, 2, /^id,name,/],
    ['tasks', { q: 'zeppelin' }, 1, /A zeppelin over a lake/],
    ['audit-log', { action: 'codes.create' }, 3, /codes\.create/],
    ['people', { q: dana.email }, 1, new RegExp(dana.email)],
    ['redemption-codes', { sort: '-amount' }, 3, /'=SUM\(A1\)/],
  ];
  for (const [name, query, rows, pattern] of cases) {
    test(`${name} contain what the filters list, without a formula`, async () => {
      const of = (format: string) =>
        administrator.get(`/admin/${name}?${new URLSearchParams({ ...query, format })}`);
      assert.match(String((await of('csv')).body.text), pattern);
      const { body } = await of('json');
      assert.deepEqual(body, await list(`/admin/${name}`, query));
      assert.equal((body as unknown as Item[]).length, rows);
    });
  }
});

test('rejects what is no filter, no sort and no account', async () => {
  const cases: [string, RegExp][] = [
    ['accounts?sort=age', /^sort must be one of created, -created, name, /],
    ['accounts?q=', /^q must /],
    ['accounts?balance_max=-1', /^balance_max must /],
    ['tasks?account_id=x', /^account_id must be the ID of an account/],
    ['audit-log?account_id=x', /^account_id must be the ID of an account/],
    ['redemption-codes?cursor=x', /^cursor must be a next_cursor of this list/],
    ['people?cursor=WyIxIiwiMiJd', /^cursor must be a next_cursor of this list/],
  ];
  for (const [path, message] of cases) {
    assertApiError(await service.admin.get(`/admin/${path}`), 'invalid_request', message);
  }
});

test('the audit log names a person who was deactivated since', async () => {
  const gone = await newMember(service, { accountId: tigers.id, role: 'viewer' });
  const { body } = await service.admin.post(`/admin/people/${gone.personId}/close`);
  const [entry] = await list('/admin/audit-log', { action: 'person.close' });
  assert.deepEqual(entry?.person, { name: body.name, email: gone.email });
  const [joined] = await list('/admin/audit-log', { action: 'member.join', actor: gone.email });
  assert.deepEqual(joined?.person, entry?.person);
  const [granted] = await list('/admin/audit-log', { action: 'codes.create' });
  assert.equal(granted?.person, null);
});
