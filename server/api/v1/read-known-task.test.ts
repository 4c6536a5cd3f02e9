/**
 * Status requests that outlast failures of the database and the rate limit, so that a client does
 * not start a second task.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../../proof/kit/seed.ts';
import type { Database } from '../../database/database.ts';
import { createAcceptTask } from '../../lifecycle/accept.ts';
import { StatusLimiter } from '../../rate-limits/status-window.ts';
import { connectionsMax } from '../http/connections.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { TaskReader } from '../http/task-reader.ts';
import { getTask, readKnownTask } from './tasks.ts';

const scratch = await useDatabase();
const account = await seedAccount(scratch.db, { credits: 100 });
const accepted = await createAcceptTask(scratch)(createOf(account));
assert('taskId' in accepted);
const { taskId } = accepted;

/** A process whose statements fail as often as `failures` says, and its notes. */
function openProcess({ failures = 0, limit = 0, windowSeconds = 60 } = {}) {
  const outage = { failures };
  const db = {
    async query(...args: Parameters<Database['query']>) {
      if (outage.failures-- > 0) throw new Error('connect ECONNREFUSED');
      return await scratch.db.query(...args);
    },
  } as Database;
  const services = {
    lifecycle: { db, resultUrl: () => '' },
    tasks: new TaskReader(db),
    keys: {
      watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
    },
    statusLimiter: new StatusLimiter({ limit, windowSeconds }),
    accountLimits: { create: 0, status: 0 },
  } as unknown as ApiServices;
  return { services, outage };
}

function requestBy({ accountId, keyId }: SeededAccount): ApiRequest {
  return {
    identity: { accountId, keyId, mode: 'live' },
    params: { id: taskId },
    setHeaders: () => {},
    onCounted: () => {},
    abortSignal: () => new AbortController().signal,
    reauthorize: async () => {},
  } as unknown as ApiRequest;
}

test('waits until the database returns', async () => {
  const { services } = openProcess({ failures: 2 });
  const task = await readKnownTask(services, requestBy(account));
  assert.deepEqual([task.id, task.status], [taskId, 'queued']);
});

test('returns the task as it was last read when the database does not return', async () => {
  const { services, outage } = openProcess();
  const first = await readKnownTask(services, requestBy(account));
  outage.failures = Number.POSITIVE_INFINITY;
  const again = await readKnownTask(services, requestBy(account), { waitMs: 300 });
  assert.deepEqual(again, first);
});

test('fails for a task that it does not know when the database does not return', async () => {
  const { services } = openProcess({ failures: Number.POSITIVE_INFINITY });
  const reading = readKnownTask(services, requestBy(account), { waitMs: 300 });
  await assert.rejects(reading, (error) => !(error instanceof ApiError));
});

test('waits for a turn within the rate limit', async () => {
  const { services } = openProcess({ limit: 1, windowSeconds: 0.5 });
  for (let requests = 0; requests < 3; requests++) {
    assert.equal((await readKnownTask(services, requestBy(account))).id, taskId);
  }
});

test('returns the task although the turn does not come in time', async () => {
  const { services } = openProcess({ limit: 1 });
  services.statusLimiter.consume(account.keyId);
  const { id } = await readKnownTask(services, requestBy(account), { waitMs: 2000 });
  assert.equal(id, taskId);
});

test('lets some requests of a key wait, and none for a task of another account', async () => {
  const { services } = openProcess({ limit: 100 });
  while (services.statusLimiter.consume(account.keyId).allowed);
  const ended = new AbortController();
  const send = (request: ApiRequest) =>
    readKnownTask(services, { ...request, abortSignal: () => ended.signal }, { waitMs: 60_000 });
  const other = await seedAccount(scratch.db);
  while (services.statusLimiter.consume(other.keyId).allowed);
  await assert.rejects(send(requestBy(other)), { code: 'rate_limited' });
  const waiting = Array.from({ length: 32 }, () => send(requestBy(account)));
  await assert.rejects(send(requestBy(account)), { code: 'rate_limited' });
  ended.abort();
  await Promise.allSettled(waiting);
});

test('a long poll waits unless its account holds a quarter of all connections', async () => {
  const { services } = openProcess();
  const ended = new AbortController();
  const request = requestBy(account);
  const poll = () =>
    getTask.handler(services, {
      ...request,
      query: { wait: '60' },
      abortSignal: () => ended.signal,
    });
  const polls = Array.from({ length: Math.floor(connectionsMax / 4) + 1 }, poll);
  const rejected = Promise.withResolvers<ApiError>();
  for (const one of polls) one.catch(rejected.resolve);
  assert.equal((await rejected.promise).code, 'rate_limited');
  ended.abort();
  const results = await Promise.allSettled(polls);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
});

test('does not show a task of another account, even without a database', async () => {
  const { services, outage } = openProcess();
  await readKnownTask(services, requestBy(account));
  const other = requestBy(await seedAccount(scratch.db));
  await assert.rejects(readKnownTask(services, other), { code: 'not_found' });
  outage.failures = Number.POSITIVE_INFINITY;
  await assert.rejects(readKnownTask(services, other, { waitMs: 100 }), /did not respond|REFUSED/);
});
