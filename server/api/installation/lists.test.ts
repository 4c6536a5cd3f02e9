/** The lists: `{items, next_cursor}`, paged without gaps, filtered, with strict cursors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';

type Item = Record<string, unknown> & { readonly id: string };
type Page = { readonly items: Item[]; readonly next_cursor: string | null };

const journey = await useJourney({ script: { status: ['completed'] } });
const { service, receiver } = journey;
const account = await service.account({ live: 100, test: 50 });
for (let at = 0; at < 5; at++) {
  await service.admin.post(`/admin/accounts/${account.id}/keys`, {
    name: `Key ${at}`,
    mode: at % 2 === 0 ? 'test' : 'live',
  });
  await account.client.run({ ...textToVideo, callback_url: receiver.url });
}
await receiver.waitForWebhooks(5);
const own = `/admin/accounts/${account.id}`;
const lists = {
  accounts: '/admin/accounts',
  tasks: `${own}/tasks`,
  ledger: `${own}/ledger`,
  keys: `${own}/keys`,
  deliveries: `${own}/deliveries`,
  log: '/admin/audit-log',
};
await service.account();
await service.account();

const get = async (path: string): Promise<Page> => {
  const { status, body } = await journey.service.admin.get(path);
  assert.equal(status, 200, JSON.stringify(body));
  const { total, ...page } = body;
  assert.deepEqual(Object.keys(page), ['items', 'next_cursor']);
  assert(total === undefined || Number.isInteger(total));
  return body as unknown as Page;
};

async function walk(path: string, query: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await get(`${path}?${query}${cursor && `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

describe('pages', () => {
  const names = ['accounts', 'tasks', 'ledger', 'keys', 'deliveries', 'log'] as const;
  for (const name of names) {
    test(`${name}: each item once and in the same order, with any page size`, async () => {
      const whole = (await get(`${lists[name]}?limit=100`)).items;
      assert(whole.length >= 3);
      for (const limit of [1, 2, whole.length - 1, whole.length]) {
        const ids = (await walk(lists[name], `limit=${limit}`)).map(({ id }) => id);
        assert.deepEqual(ids, pluck(whole, 'id'));
        assert.equal(new Set(ids).size, ids.length);
      }
    });

    test(`${name}: the first page says how many there are`, async () => {
      const whole = (await get(`${lists[name]}?limit=100`)).items;
      const { total } = (await service.admin.get(`${lists[name]}?limit=1`)).body;
      assert.equal(total, name === 'keys' ? undefined : whole.length);
    });

    test(`${name}: rejects an invalid cursor or limit`, async () => {
      for (const query of ['cursor=x', 'cursor=%00', 'cursor=', "cursor='", 'limit=0', 'limit=x']) {
        const response = await journey.service.admin.get(`${lists[name]}?${query}`);
        assertApiError(response, 'invalid_request', /^(cursor|limit) must /);
      }
      const response = await journey.service.admin.get(`${lists[name]}?limt=5`);
      assertApiError(response, 'invalid_request', 'limt is not a known field, did you mean limit?');
    });
  }
});

describe('filters', () => {
  const cases: [keyof typeof lists, string, (item: Item) => boolean, number][] = [
    ['tasks', 'status=completed', ({ status }) => status === 'completed', 5],
    ['tasks', 'mode=live', ({ mode }) => mode === 'live', 5],
    ['tasks', 'billing_status=charged', (item) => item.billing_status === 'charged', 5],
    ['tasks', 'refund=waiting', () => false, 0],
    ['tasks', 'model=vidgen-2-5', () => false, 0],
    ['tasks', 'created_after=1&created_before=99999999999', () => true, 5],
    ['ledger', 'kind=charge', ({ kind }) => kind === 'charge', 5],
    ['ledger', 'mode=test', ({ mode, kind }) => mode === 'test' && kind === 'grant', 1],
    ['keys', 'mode=test', ({ mode }) => mode === 'test', 3],
    ['deliveries', 'status=exhausted', () => false, 0],
  ];
  for (const [name, query, fits, count] of cases) {
    test(`${name}?${query}: ${count}`, async () => {
      const items = await walk(lists[name], `${query}&limit=2`);
      assert.equal(items.length, count);
      const { total } = (await service.admin.get(`${lists[name]}?${query}&limit=1`)).body;
      assert.equal(total, count < 2 || name === 'keys' ? undefined : count);
      assert(items.every(fits));
    });
  }

  test('by task and by subject', async () => {
    const [task] = (await get(lists.tasks)).items;
    const entries = await walk(lists.ledger, `task_id=${task!.id}`);
    assert.deepEqual(pluck(entries, 'kind'), ['charge', 'reserve']);
    const [delivery, ...others] = await walk(lists.deliveries, `task_id=${task!.id}`);
    assert.equal(delivery?.task_id, task!.id);
    assert.deepEqual(others, []);
    const log = await walk(lists.log, `subject=${account.id}&limit=1`);
    assert.deepEqual(pluck(log, 'action'), ['credits.grant', 'credits.grant', 'account.create']);
    for (const query of ['task_id=x', 'task_id=', "task_id='"]) {
      assert.deepEqual((await get(`${lists.ledger}?${query}`)).items, []);
      assert.deepEqual((await get(`${lists.deliveries}?${query}`)).items, []);
    }
  });

  const bad: [keyof typeof lists, string, RegExp][] = [
    ['tasks', 'status=done', /^status must be one of queued, /],
    ['tasks', 'refund=yes', /^refund must be waiting \(got "yes"\)$/],
    ['ledger', 'task_id=%00', /^task_id must not contain the NUL character$/],
    ['ledger', 'mode=live&mode=test', /^mode must be given once$/],
    ['log', 'subject=%00', /^subject must not contain the NUL character$/],
  ];
  for (const [name, query, message] of bad) {
    test(`${name}?${query} is rejected`, async () => {
      const response = await journey.service.admin.get(`${lists[name]}?${query}`);
      assertApiError(response, 'invalid_request', message);
    });
  }

  test('accounts are listed without their secrets', async () => {
    const { items } = await get(lists.accounts);
    for (const item of items) assert.equal('webhook_secret' in item, false);
  });
});
