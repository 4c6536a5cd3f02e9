/** Lists as files over HTTP: complete, equal to the list, valid CSV, and authorized. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListLedgerResponse } from '@vidgen/contract/admin-accounts.ts';
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { UsageResponse, UsageRow } from '@vidgen/contract/usage.ts';
import { z } from 'zod';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { useJourney } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { createOf, generationOf } from '../../../proof/kit/seed.ts';
import { createAcceptTask } from '../../lifecycle/accept.ts';

/** More than two pages, in both modes. */
const tasks = { live: 1003, test: 7 };

const promptOf = (at: number): string => (at === 0 ? '=cmd("x"), and\nmore' : `boat ${at}`);

// Without a worker, so that tasks keep their status.
const journey = await useJourney({ environment: { VIDGEN_ROLE: 'api' } });
const { service } = journey;
const account = await service.account({ live: 10_000, test: 1000 });
const viewer = await newMember(service, { accountId: account.id, role: 'viewer' });
const testKey = { name: 'Test', mode: 'test', permissions: ['videos:create'] };
const { body: created } = await service.admin.post(`/admin/accounts/${account.id}/keys`, testKey);
const keyIds = { live: account.keyId, test: created.id as string };
const accept = createAcceptTask(service.parts.lifecycle);
await Promise.all(
  (['live', 'test'] as const).flatMap((mode) =>
    Array.from({ length: tasks[mode] }, (_, at) =>
      accept(
        createOf(
          { accountId: account.id, keyId: keyIds[mode], key: '' },
          { mode, generation: generationOf({ prompt: promptOf(at) }) },
        ),
      ),
    ),
  ),
);

async function fetchFile(path: string) {
  const response = await fetch(`${journey.service.url}${path}`, {
    headers: { cookie: viewer.cookie()! },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function parsed(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  assert.deepEqual(rows.pop(), [], 'the last line ends, too');
  return rows;
}

const of = (what: string) => `/admin/accounts/${account.id}/${what}`;

describe('tasks', () => {
  test('JSON has every task once, newest first, equal to the list', async () => {
    const { status, headers, text } = await fetchFile(of('tasks?format=json'));
    assert.equal(status, 200);
    const all = z.array(AdminTask).parse(JSON.parse(text));
    assert.equal(new Set(all.map(({ id }) => id)).size, tasks.live + tasks.test);
    assert.deepEqual(
      all,
      all.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    );
    const { body } = await viewer.get(of('tasks?limit=20'));
    assert.deepEqual(all.slice(0, 20), body.items);
    const name = /^attachment; filename="vidgen-tasks-journey-\d{4}-\d\d-\d\d\.json"$/;
    assert.match(headers.get('content-disposition') ?? '', name);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('CSV has a header, one line per task, and no formula', async () => {
    const { headers, text } = await fetchFile(of('tasks?format=csv&mode=live'));
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
    const [head, ...lines] = parsed(text);
    assert.equal(lines.length, tasks.live);
    assert(lines.every((line) => line.length === head!.length));
    const prompts = lines.map((line) => line[head!.indexOf('prompt')]);
    assert(prompts.includes('\'=cmd("x"), and\nmore'));
    const timestamps = lines.map((line) => line[head!.indexOf('created_at')]);
    assert(timestamps.every((timestamp) => /^\d{4}-\d\d-\d\dT.+Z$/.test(timestamp ?? '')));
  });
});

test('the ledger has every entry once, with the balance after it', async () => {
  const { text } = await fetchFile(of('ledger?format=json&mode=live'));
  const entries = ListLedgerResponse.shape.items.parse(JSON.parse(text));
  assert.deepEqual(
    pluck(entries, 'number'),
    Array.from({ length: tasks.live + 1 }, (_, at) => tasks.live + 1 - at),
  );
  const csv = parsed((await fetchFile(of('ledger?format=csv&kind=grant'))).text);
  assert.equal(csv.length, 3);
});

describe('usage', () => {
  test('has the rows that match the query', async () => {
    const { body } = await viewer.get(of('usage?mode=live'));
    const usage = UsageResponse.parse(body);
    assert.deepEqual(usage.total.tasks, tasks.live);
    assert.deepEqual(pluck(usage.keys, 'id'), [account.keyId]);
    const { text } = await fetchFile(of('usage?format=json&mode=live'));
    assert.deepEqual(z.array(UsageRow).parse(JSON.parse(text)), usage.rows);
    const csv = parsed((await fetchFile(of('usage?format=csv&mode=live'))).text);
    assert.equal(csv.length, usage.rows.length + 1);
  });

  test('accepts at most 92 days, in the right order', async () => {
    const requestUsage = async (query: string) =>
      assertApiError(await viewer.get(of(`usage?mode=live&${query}`)), 'invalid_request').message;
    const long = 'created_after=2026-01-01T00:00:00Z&created_before=2026-04-04T00:00:00Z';
    assert.match(await requestUsage(long), /at most 92 days/);
    const backwards = 'created_after=2026-01-02T00:00:00Z&created_before=2026-01-01T00:00:00Z';
    assert.match(await requestUsage(backwards), /must be before/);
    assertApiError(await viewer.get(of('usage')), 'invalid_request');
    const exact = 'created_after=2026-01-01T00:00:00Z&created_before=2026-04-03T00:00:00Z';
    const { body } = await viewer.get(of(`usage?mode=live&${exact}`));
    assert.equal(UsageResponse.parse(body).total.tasks, 0);
  });
});
