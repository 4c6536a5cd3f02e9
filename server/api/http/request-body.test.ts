/** What senders may make the service hold in memory, alone and together. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { startService } from '../../../proof/kit/service.ts';
import { BodyBudget } from './request-body.ts';

const service = await startService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_TRUSTED_PROXIES: '127.0.0.1' },
});
const sockets: Socket[] = [];
after(async () => {
  for (const socket of sockets) socket.destroy();
  await service.close();
});

const mebibyte = 1024 ** 2;

/** Sends bodies of 1 MiB without their last byte, until one of them is given up. */
async function holdBodies(path: string, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const responses: Promise<unknown[]>[] = [];
  for (let sent = 0; sent < 64; sent++) {
    const socket = await openSocket(service.url);
    sockets.push(socket);
    responses.push(once(socket, 'data'));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}` +
        `content-type: application/json\r\ncontent-length: ${mebibyte}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(mebibyte - 1, ' '));
  }
  const [response] = await Promise.race(responses);
  return String(response);
}

const postFrom = (address: string, path: string) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': address,
    },
    body: JSON.stringify({ email: 'ada@example.com', password: 'a boat of folded paper' }),
  });

test('a network that holds callbacks back keeps others from nothing', async () => {
  const held = await holdBodies('/callbacks/fal/x', { 'x-forwarded-for': '203.0.113.7' });
  assert.match(held, /^HTTP\/1\.1 429 /);
  assert.equal((await postFrom('198.51.100.1', '/callbacks/fal/x')).status, 204);
  assert.equal((await postFrom('203.0.113.7', '/session')).status, 401);
  assert.equal((await postFrom('203.0.113.7', '/stripe/events')).status, 404);
});

test('a key that holds bodies back keeps others from nothing', async () => {
  const one = await service.account();
  const other = await service.account({ live: 100 });
  const held = await holdBodies('/mcp', { authorization: `Bearer ${one.key}` });
  assert.match(held, /^HTTP\/1\.1 429 /);
  assert.equal((await other.client.create(textToVideo)).status, 200);
});

test('a member sends less than a key', async () => {
  const { id } = await service.account();
  const viewer = await newMember(service, { accountId: id, role: 'viewer' });
  const long = { name: 'x'.repeat(70_000) };
  assertApiError(await viewer.post('/session/name', long), 'invalid_request', /at most 64 KiB/);
});

test('the oldest body of the sender that holds most makes room', () => {
  const budget = new BodyBudget({ bytesMax: 100, senderBytesMax: 60 });
  const givenUp: string[] = [];
  const open = (sender: string, label: string, bytes: number) => {
    const body = budget.open(sender);
    body.whenGivenUp(() => givenUp.push(label));
    body.take(bytes);
    return body;
  };
  open('a', 'a1', 30);
  const arrived = open('a', 'a2', 20);
  arrived.arrived();
  open('b', 'b1', 40);
  open('b', 'b2', 15);
  assert.deepEqual(givenUp, ['b1']);
  open('a', 'a3', 11);
  assert.deepEqual(givenUp, ['b1', 'a1']);
  open('c', 'c1', 50);
  arrived[Symbol.dispose]();
  // Its own body is the only one that can be given up.
  assert.throws(() => open('d', 'd1', 61), { code: 'rate_limited' });
  assert.deepEqual(givenUp, ['b1', 'a1', 'd1']);
});
