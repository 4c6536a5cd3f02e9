/**
 * Creates without an idempotency key over connections that break: one task for each intent, and two
 * tasks for two intended creates.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../../proof/kit/raw-http.ts';
import { startService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
after(() => service.close());

type Account = Awaited<ReturnType<typeof service.account>>;

function createRequest({ key }: Account, body: unknown = textToVideo): string {
  const content = JSON.stringify(body);
  const head = [
    'POST /v1/videos/generations HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(content)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

/** Sends a create over a connection of its own. */
async function sendCreate(account: Account, body?: unknown): Promise<Socket> {
  const socket = await openSocket(service.url);
  socket.write(createRequest(account, body));
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

const countUndelivered = async ({ keyId }: Account): Promise<number> => {
  const sql = 'select from recent_creates where key_id = $1 and undelivered_at is not null';
  return (await service.db.query(sql, [keyId])).rowCount;
};

const waitForNote = (account: Account) =>
  waitUntil(async () => (await countUndelivered(account)) === 1);

/** Holds the locks that a create needs, so that it is under way until they are released. */
async function holdBalance({ id }: Account): Promise<{ release(): Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = service.db.transaction(async (tx) => {
    await tx.query('select from balances where account_id = $1 for update', [id]);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  return {
    async release() {
      held.resolve();
      await holding;
    },
  };
}

const isCreateWaiting = async (count: number) =>
  (
    await service.db.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount >= count;

describe('a create whose response was not received', () => {
  test('is adopted by the next identical one: reset after the response', async () => {
    const account = await service.account({ live: 5 });
    const socket = await sendCreate(account);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await waitForNote(account);
    const { status, headers, body } = await account.client.create(textToVideo);
    assert.deepEqual([status, headers.get('vidgen-adopted'), body.credits], [200, '1', 5]);
    assert.deepEqual(await tasksOf(account), [body.taskId]);
  });

  for (const [how, leave] of [
    ['closed', (socket: Socket) => socket.destroy()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    test(`is adopted when it is repeated before it is committed: ${how}`, async () => {
      const account = await service.account({ live: 5 });
      const balance = await holdBalance(account);
      const socket = await sendCreate(account);
      await waitUntil(() => isCreateWaiting(1));
      leave(socket);
      const repeated = account.client.create(textToVideo);
      await balance.release();
      const { status, headers, body } = await repeated;
      assert.deepEqual([status, headers.get('vidgen-adopted')], [200, '1'], JSON.stringify(body));
      assert.deepEqual(await tasksOf(account), [body.taskId]);
    });
  }

  test('with materials is adopted before balance and materials are checked', async () => {
    const account = await service.account({ live: 8 });
    const image = {
      model: 'vidgen-2-0-mini',
      input: {
        prompt: 'x',
        resolution: '480p',
        generation_type: 'image-to-video',
        image_urls: ['http://127.0.0.1:1/first.png'],
      },
    };
    const socket = await sendCreate(account, image);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await waitForNote(account);
    const { status, headers, body } = await account.client.create(image);
    assert.deepEqual([status, headers.get('vidgen-adopted')], [200, '1'], JSON.stringify(body));
  });

  test('is not adopted once it is cancelled', async () => {
    const account = await service.account({ live: 10 });
    const socket = await sendCreate(account);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await waitForNote(account);
    const [lost] = await tasksOf(account);
    const { status } = await service.admin.post(`/admin/tasks/${lost}/cancel`);
    assert.equal(status, 200);
    const { headers, body } = await account.client.create(textToVideo);
    assert.equal(headers.get('vidgen-adopted'), null);
    assert.notEqual(body.taskId, lost);
  });

  test('is not adopted by a create with an idempotency key', async () => {
    const account = await service.account({ live: 10 });
    const socket = await sendCreate(account);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await waitForNote(account);
    await account.client.create(textToVideo, { 'idempotency-key': 'another intent' });
    assert.equal((await tasksOf(account)).length, 2);
  });
});

describe('two intended creates', () => {
  test('stay two: the connection is closed after the response', async () => {
    const account = await service.account({ live: 10 });
    const socket = await sendCreate(account);
    await once(socket, 'data');
    socket.end();
    await once(socket, 'close');
    const { headers } = await account.client.create(textToVideo);
    assert.equal(headers.get('vidgen-adopted'), null);
    assert.equal((await tasksOf(account)).length, 2);
  });

  test('stay two: the client asked for the first before the reset', async () => {
    const account = await service.account({ live: 10 });
    const socket = await sendCreate(account);
    const [data] = await once(socket, 'data');
    const [taskId] = /task_\w+/.exec(String(data))!;
    socket.resetAndDestroy();
    await waitForNote(account);
    await account.client.task(taskId);
    await waitUntil(async () => (await countUndelivered(account)) === 0);
    await account.client.create(textToVideo);
    assert.equal((await tasksOf(account)).length, 2);
  });

  test('stay two: the client asked for the first, and the second never arrived', async () => {
    const account = await service.account({ live: 10 });
    const marked = (count: number) => ({ 'x-stainless-retry-count': String(count) });
    const { body } = await account.client.create(textToVideo, marked(0));
    await account.client.task(String(body.taskId));
    const sql = 'select from recent_creates where key_id = $1';
    await waitUntil(async () => (await service.db.query(sql, [account.keyId])).rowCount === 0);
    const retried = await account.client.create(textToVideo, marked(1));
    assert.notEqual(retried.body.taskId, body.taskId);
  });

  test('stay two: both at once', async () => {
    const account = await service.account({ live: 10 });
    await Promise.all([account.client.create(textToVideo), account.client.create(textToVideo)]);
    assert.equal((await tasksOf(account)).length, 2);
  });
});

describe('four identical creates at once, of which one connection breaks', () => {
  for (const broken of [0, 1, 2, 3]) {
    test(`are four tasks once it is repeated: connection ${broken + 1}`, async () => {
      const account = await service.account({ live: 20 });
      const balance = await holdBalance(account);
      const sockets: Socket[] = [];
      for (let sent = 0; sent < 4; sent++) sockets.push(await sendCreate(account));
      const responses = sockets
        .filter((_, at) => at !== broken)
        .map(async (socket) => /task_\w+/.exec(String((await once(socket, 'data'))[0]))?.[0]);
      await waitUntil(() => isCreateWaiting(1));
      sockets[broken]!.resetAndDestroy();
      const repeated = account.client.create(textToVideo);
      await balance.release();
      const acknowledged = [...(await Promise.all(responses)), (await repeated).body.taskId];
      for (const socket of sockets) socket.destroy();
      assert.equal(new Set(acknowledged).size, 4);
      assert.deepEqual(new Set(acknowledged), new Set(await tasksOf(account)));
    });
  }
});

test('a retry mark gets the first response, without the header of an adoption', async () => {
  const account = await service.account({ live: 10 });
  const marked = (count: number) => ({ 'x-stainless-retry-count': String(count) });
  const first = await account.client.create(textToVideo, marked(0));
  const retried = await account.client.create(textToVideo, marked(1));
  assert.deepEqual(retried.body, first.body);
  assert.equal(retried.headers.get('vidgen-adopted'), null);
  const other = { ...textToVideo, callback_url: 'https://hooks.example.com/x' };
  assert.notEqual((await account.client.create(other, marked(1))).body.taskId, first.body.taskId);
});

describe('a client that ends its side of the connection after the request', () => {
  test('gets the response to a create, and another task once it asked for it', async () => {
    const account = await service.account({ live: 10 });
    const response = await halfClosed(createRequest(account));
    assert(response, 'no response');
    const { taskId } = response.body as { taskId: string };
    assert.deepEqual([response.status, await tasksOf(account)], [200, [taskId]]);
    assert.equal((await account.client.get(`/v1/tasks/${taskId}`)).status, 200);
    await waitUntil(async () => (await countUndelivered(account)) === 0);
    assert.notEqual((await account.client.create(textToVideo)).body.taskId, taskId);
  });

  test('gets the response to a read, but none to a wait, which is over at once', async () => {
    const account = await service.account({ live: 5 });
    const { body } = await account.client.create(textToVideo);
    const read = (path: string) => {
      const head = [`GET ${path} HTTP/1.0`, `authorization: Bearer ${account.key}`];
      return halfClosed(`${head.join('\r\n')}\r\n\r\n`);
    };
    assert.equal((await read(`/v1/tasks/${body.taskId}`))?.status, 200);
    assert.equal(await read(`/v1/tasks/${body.taskId}?wait=60`), undefined);
  });
});
