/** `GET /v1/tasks` (extension): every task once, newest first, with any page size and filter. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListTasksResponse } from '@vidgen/contract/list-tasks.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';

const made: { id: string; model: string }[] = [];
const environment = { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0' };
const service = await useService({ environment });
const { client, otherClient } = await service.account({ live: 10_000, test: 100 });
for (let at = 0; at < 23; at++) {
  const model = at % 3 === 0 ? 'vidgen-2-0' : 'vidgen-2-0-mini';
  const { body } = await client.create({ model, input: { prompt: `task ${at}` } });
  made.unshift({ id: String(body.taskId), model });
}
for (const { id } of made.slice(0, 4)) await client.post(`/v1/tasks/${id}/cancel`);

const list = async (query: string, who = client) =>
  ListTasksResponse.parse((await who.get(`/v1/tasks?${query}`)).body);
const ids = ({ items }: ListTasksResponse) => items.map(({ id }) => id);

async function walk(query: string): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: ListTasksResponse = await list(
      `${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    seen.push(...ids(page));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return seen;
}

describe('pages', () => {
  test('has 20 by default, newest first, each with all fields of a task', async () => {
    const page = await list('');
    assert.deepEqual(ids(page), pluck(made.slice(0, 20), 'id'));
    assert.equal(page.next_cursor, made[19]!.id);
  });

  for (const limit of [1, 5, 7, 22, 23, 24, 100]) {
    test(`limit ${limit}: no gap, no repeat, no empty last page`, async () => {
      assert.deepEqual(await walk(`limit=${limit}`), pluck(made, 'id'));
    });
  }

  test('tasks created meanwhile do not disturb paging', async () => {
    const { client: own } = await service.account({ live: 1000 });
    const make = async () => String((await own.create(textToVideo)).body.taskId);
    const older = [await make(), await make(), await make(), await make()].reverse();
    const first = await list('limit=2', own);
    await make();
    const rest = await list(`limit=10&cursor=${first.next_cursor}`, own);
    assert.deepEqual([...ids(first), ...ids(rest)], older);
    assert.equal(rest.next_cursor, null);
  });
});

describe('filters', () => {
  test('status and model, alone and together', async () => {
    const cancelled = made.slice(0, 4);
    assert.deepEqual(await walk('status=failed&limit=3'), pluck(cancelled, 'id'));
    assert.equal((await walk('status=queued&limit=3')).length, 19);
    assert.deepEqual(await walk('status=completed'), []);
    const wanted = made.filter(({ model }) => model === 'vidgen-2-0').map(({ id }) => id);
    assert.deepEqual(await walk('model=vidgen-2-0&limit=2'), wanted);
    const both = cancelled.filter(({ model }) => model === 'vidgen-2-0').map(({ id }) => id);
    assert.deepEqual(await walk('model=vidgen-2-0&status=failed'), both);
  });

  test('created_after is inclusive, created_before exclusive', async () => {
    const { items } = await list('limit=100');
    const newest = items[0]!.created_at;
    const oldest = items.at(-1)!.created_at;
    assert.equal((await walk(`created_after=${oldest}&limit=50`)).length, 23);
    assert.deepEqual(await walk(`created_before=${oldest}`), []);
    assert.deepEqual(await walk(`created_after=${newest + 1}`), []);
    const until = new Date((newest + 1) * 1000).toISOString();
    assert.equal((await walk(`created_before=${until}&limit=50`)).length, 23);
    const zoned = encodeURIComponent('2020-01-01T00:00:00+02:00');
    assert.equal((await walk(`created_after=${zoned}&limit=50`)).length, 23);
  });

  test('lists the mode of the key, and no other account', async () => {
    const testing = await otherClient({ mode: 'test' });
    assert.deepEqual((await list('', testing)).items, []);
    const { body: created } = await testing.create(textToVideo);
    assert.deepEqual(ids(await list('', testing)), [created.taskId]);
    const { client: outsider } = await service.account();
    assert.deepEqual((await list('', outsider)).items, []);
    assert.deepEqual((await list(`cursor=${made[0]!.id}`, outsider)).items, []);
  });
});

describe('rejected: 400', () => {
  const cases: [string, RegExp][] = [
    ['limit=0', /^limit must be at least 1 \(got "0"\)$/],
    ['limit=101', /^limit must be at most 100 \(got "101"\)$/],
    ['limit=1.5', /^limit must be an integer of 1 to 100/],
    ['limit=5&limit=6', /^limit must be given once$/],
    ['status=done', /^status must be one of queued, generating, completed, failed \(got "done"\)$/],
    ['cursor=x', /^cursor must be a next_cursor of this list$/],
    ['created_after=yesterday', /^created_after must be Unix seconds or an ISO 8601 time/],
    ['created_before=2026-01-01T00:00:00', /^created_before must be .* with a zone/],
    ['statsu=failed', /^statsu is not a known field, did you mean status\?$/],
    ['mode=live', /^mode is not a known field, /],
  ];
  for (const [query, message] of cases) {
    test(query.slice(0, 40), async () => {
      const response = await client.get(`/v1/tasks?${query}`);
      assertApiError(response, 'invalid_request', message);
    });
  }
});
