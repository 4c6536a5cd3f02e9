/**
 * Creates without an idempotency key follow two rules, and nothing else: the client disconnected
 * before the create was written, or before its response was.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { holdTransaction } from '../../../proof/kit/held-transaction.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../../proof/kit/raw-http.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

type Account = Awaited<ReturnType<typeof service.account>>;

function createRequest({ key }: Account): string {
  const content = JSON.stringify(textToVideo);
  const head = [
    'POST /v1/videos/generations HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(content)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

async function sendCreate(account: Account): Promise<Socket> {
  const socket = await openSocket(service.url);
  socket.write(createRequest(account));
  return socket;
}

/** Sends a request and ends this side of its connection, as `nc -N` does. */
async function halfClosed(request: string): Promise<ParsedResponse | undefined> {
  const socket = await openSocket(service.url);
  socket.end(request);
  return parseResponses(await text(socket))[0];
}

async function tasksOf({ client }: Account): Promise<string[]> {
  const { body } = await client.get('/v1/tasks');
  return (body.items as { id: string }[]).map(({ id }) => id);
}

/** Resets the connection of a create that waits for a lock, and returns when it has ended. */
async function resetWhileHeld(account: Account, sql: string): Promise<void> {
  const held = await holdTransaction(service.db, (tx) => tx.query(sql));
  const socket = await sendCreate(account);
  await held.waitUntilBlocking();
  socket.resetAndDestroy();
  // The service reads the reset before a request that is sent later.
  assert.equal((await account.client.get('/v1/credits')).status, 200);
  await held.commit();
}

test('a create is not accepted if its client has disconnected before it is written', async () => {
  const account = await service.account({ live: 10 });
  await resetWhileHeld(
    account,
    `select from balances where account_id = '${account.id}' for update`,
  );
  const { body } = await account.client.create(textToVideo);
  assert.deepEqual(await tasksOf(account), [body.taskId]);
});

test('the next identical create gets the task of one whose response was not written', async () => {
  const account = await service.account({ live: 5 });
  await resetWhileHeld(account, 'lock table jobs in share mode');
  const { status, headers, body } = await account.client.create(textToVideo);
  assert.deepEqual([status, headers.get('vidgen-adopted'), body.credits], [200, '1', 5]);
  assert.deepEqual(await tasksOf(account), [body.taskId]);
});

describe('two identical creates whose responses were written are two tasks', () => {
  test('reset after the response', async () => {
    const account = await service.account({ live: 10 });
    for (let sent = 0; sent < 2; sent++) {
      const socket = await sendCreate(account);
      await once(socket, 'data');
      socket.resetAndDestroy();
    }
    assert.equal((await tasksOf(account)).length, 2);
  });

  test('marked as a retry', async () => {
    const account = await service.account({ live: 10 });
    for (const count of ['0', '1']) {
      await account.client.create(textToVideo, { 'x-stainless-retry-count': count });
    }
    assert.equal((await tasksOf(account)).length, 2);
  });

  test('sent by a client that ends its side of the connection after the request', async () => {
    const account = await service.account({ live: 10 });
    for (let sent = 0; sent < 2; sent++) {
      assert.equal((await halfClosed(createRequest(account)))?.status, 200);
    }
    assert.equal((await tasksOf(account)).length, 2);
  });
});

test('a client that ends its side gets a read, but no wait, which is over at once', async () => {
  const account = await service.account({ live: 5 });
  const { body } = await account.client.create(textToVideo);
  const read = (path: string) => {
    const head = [`GET ${path} HTTP/1.0`, `authorization: Bearer ${account.key}`];
    return halfClosed(`${head.join('\r\n')}\r\n\r\n`);
  };
  assert.equal((await read(`/v1/tasks/${body.taskId}`))?.status, 200);
  assert.equal(await read(`/v1/tasks/${body.taskId}?wait=60`), undefined);
});
