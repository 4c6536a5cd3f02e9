/**
 * Metadata (extension): kept and returned as sent, everywhere a task is shown and nowhere else; the
 * list finds tasks by it, and its cost does not grow with the number of tasks.
 * Thorough: fills a table with 20,000 tasks.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ListTasksResponse } from '@vidgen/contract/list-tasks.ts';
import { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { listTasks } from '../../server/tasks/task-list.ts';
import { assertApiError } from '../kit/assert-api-error.ts';
import { startJourney, textToVideo } from '../kit/journey.ts';
import { countRowsRead } from '../kit/rows-read.ts';

const journey = await startJourney({ environment: { VIDGEN_RATE_STATUS: '0' } });
// Without the invariants: some tasks are rows without credits.
after(() => journey.close());
const { service, receiver } = journey;

const metadata = { order: '42', customer: 'Größe & 日本', note: '' };

async function exported(accountId: string, format: 'csv' | 'json'): Promise<string> {
  const path = `${service.url}/admin/accounts/${accountId}/tasks?format=${format}`;
  const headers = { authorization: 'Bearer an admin token that only tests know' };
  return await (await fetch(path, { headers })).text();
}

describe('a task with metadata', () => {
  test('shows it in the task, list, export, dashboard and webhook', async () => {
    const { client, id: accountId } = await service.account({ live: 100 });
    const from = receiver.webhooks.length;
    const request = { ...textToVideo, callback_url: receiver.url, metadata };
    const { status, body } = await client.create(request);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(Object.keys(body), ['taskId', 'credits']);
    const task = await client.final(String(body.taskId));
    assert.deepEqual(task.metadata, metadata);
    const { items } = ListTasksResponse.parse((await client.get('/v1/tasks')).body);
    assert.deepEqual(items, [task]);
    const { body: detail } = await service.admin.get(`/admin/tasks/${task.id}`);
    assert.deepEqual(
      [detail.metadata, (detail.request as typeof request).metadata],
      [metadata, metadata],
    );
    await receiver.waitForWebhooks(from + 1);
    const payload = CompletionPayload.parse(receiver.webhooks[from]!.body);
    assert.deepEqual(payload.metadata, metadata);
    assert.deepEqual(JSON.parse(await exported(accountId, 'json'))[0].metadata, metadata);
    const [head, row] = (await exported(accountId, 'csv')).split('\r\n');
    assert.match(head!, /,metadata$/);
    assert.match(row!, /,"\{.*""order"":""42"".*\}"$/);
  });

  test('is checked by create and by estimate, which reserves nothing', async () => {
    const { client } = await service.account({ live: 100 });
    const tooLong = { note: 'x'.repeat(2045) };
    const cases: [metadata: unknown, message: RegExp][] = [
      ['order', /^metadata must be an object \(got "order"\)/],
      [{ order: 42 }, /^metadata\.order must be a string \(got 42\)/],
      [{ '': 'x' }, /^metadata must have keys of 1 to 64 characters \(got one of 0\)/],
      [{ ['k'.repeat(65)]: 'x' }, /^metadata must have keys of 1 to 64 characters/],
      [tooLong, /^metadata must have at most 2048 bytes of keys and values \(got 2049\)/],
      [{ order: 'a\0b' }, /^metadata must not contain the NUL character/],
      [Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 'x'])), /at most 16 pairs/],
      [Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, 1])), /at most 100 items/],
    ];
    for (const path of ['/v1/videos/generations', '/v1/videos/generations/estimate']) {
      for (const [value, message] of cases) {
        const response = await client.post(path, { ...textToVideo, metadata: value });
        assertApiError(response, 'invalid_request', message);
      }
    }
    const proto = `{"model":"vidgen-2-0","input":{"prompt":"x"},"metadata":{"__proto__":{}}}`;
    assertApiError(await client.create(proto), 'invalid_request', /strings as values/);
    const fits = { ...textToVideo, metadata: { note: 'x'.repeat(2044) } };
    assert.deepEqual((await client.post('/v1/videos/generations/estimate', fits)).status, 200);
    assert.equal((await client.get('/v1/credits')).body.available, 100);
    assert.equal((await client.create(fits)).status, 200);
  });
});

describe('the filter of the list', () => {
  test('finds the tasks of the account and mode that have all pairs, page by page', async () => {
    const own = await service.account({ live: 1000, test: 100 });
    const other = await service.account({ live: 100 });
    const create = async (pairs: object, { client } = own) =>
      String((await client.create({ ...textToVideo, metadata: pairs })).body.taskId);
    const red = [await create({ color: 'red', 'a b': '1' }), await create({ color: 'red' })];
    await create({ color: 'blue' });
    red.push(await create({ color: 'red', 'a b': '2' }));
    await create({ color: 'red' }, other);
    await own.client.create(textToVideo);
    const list = async (query: string) => {
      const { status, body } = await own.client.get(`/v1/tasks?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      const { items, next_cursor } = ListTasksResponse.parse(body);
      return { ids: items.map(({ id }) => id), next_cursor };
    };
    assert.deepEqual((await list('metadata[color]=red')).ids, red.toReversed());
    const page = await list('metadata%5Bcolor%5D=red&limit=2');
    assert.deepEqual(page.ids, [red[2], red[1]]);
    const rest = await list(`metadata[color]=red&limit=2&cursor=${page.next_cursor}`);
    assert.deepEqual(rest, { ids: [red[0]], next_cursor: null });
    assert.deepEqual((await list('metadata[color]=red&metadata[a%20b]=1')).ids, [red[0]]);
    assert.deepEqual((await list('metadata[color]=red&status=failed')).ids, []);
    assert.deepEqual((await list('metadata[color]=green')).ids, []);
    for (const [query, message] of [
      ['metadata[color]=red&metadata[color]=blue', /^metadata\.color must be given once/],
      ['metadata=red', /^metadata must be/],
      [`metadata[${'k'.repeat(65)}]=x`, /^metadata must have keys of 1 to 64/],
      ['meta[color]=red', /not a known field/],
    ] as const) {
      assertApiError(await own.client.get(`/v1/tasks?${query}`), 'invalid_request', message);
    }
  });

  test('reads a page of rows from an index, however many tasks have the pair', async () => {
    const { id: accountId, keyId, client } = await service.account({ live: 100 });
    await client.create({ ...textToVideo, metadata: { shop: 'a', order: '7' } });
    const filter = { accountId, mode: 'live', limit: 21 } as const;
    await service.db.transaction(async (tx) => {
      await tx.query(
        `insert into tasks (id, account_id, key_id, mode, model, generation, credits, deadline_at,
           status, billing_status, failed_reason, finished_at, metadata)
         select 'task_0' || lpad(n::text, 25, '0'), $1, $2, 'live', 'vidgen-2-5',
           '{}', 1, now(), 'failed', 'refunded', 'cancelled', now(), '{"shop": "a"}'
         from generate_series(1, 20000) n`,
        [accountId, keyId],
      );
      await tx.query(
        `insert into task_metadata (account_id, mode, pair, task_id)
         select account_id, mode, substr(sha256(convert_to('shop', 'UTF8') || '\\x00'::bytea
           || convert_to('a', 'UTF8')), 1, 16), id
         from tasks where account_id = $1 and metadata = '{"shop": "a"}'`,
        [accountId],
      );
    });
    await service.db.query('analyze tasks');
    await service.db.query('analyze task_metadata');
    const read = (pairs: Record<string, string>) =>
      countRowsRead(service.db, async (db) => {
        const found = await listTasks(db, { ...filter, metadata: pairs });
        assert.equal(found.length, 'order' in pairs ? 1 : 21);
      });
    const common = await read({ shop: 'a' });
    assert(common <= 63, String(common));
    assert((await read({ order: '7' })) <= 3);
    const bothRows = await read({ shop: 'a', order: '7' });
    assert(bothRows <= 1010, String(bothRows));
  });
});
