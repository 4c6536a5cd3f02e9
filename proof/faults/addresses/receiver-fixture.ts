/**
 * Runs a hostile receiver on a port of its own, and checks the log and the cost of its webhooks.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { monotonicMs } from '../../../server/process/clock.ts';
import type { Client } from '../../kit/service.ts';
import type { HostileReceiver } from './hostile-receivers.ts';

type Cost = {
  /** All connections, and the most at the same time. */
  readonly connections: number;
  readonly openMost: number;
  readonly openNow: number;
  /** The longest connection, and the most bytes written to one, kernel buffers included. */
  readonly longestMs: number;
  readonly bytesMost: number;
  /** The different messages: webhook ID and body. */
  readonly messages: readonly string[];
};

export type ReceiverFixture = {
  readonly receiver: HostileReceiver;
  readonly url: string;
  cost(): Cost;
  close(): Promise<void>;
};

export async function openReceiverFixture(receiver: HostileReceiver): Promise<ReceiverFixture> {
  const sockets = new Set<Socket>();
  const messages = new Set<string>();
  let [connections, openMost, longestMs, bytesMost] = [0, 0, 0, 0];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const fromMs = monotonicMs();
    connections += 1;
    sockets.add(socket);
    openMost = Math.max(openMost, sockets.size);
    socket.on('error', () => {});
    // The client has closed the connection; the receiver need not finish.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      longestMs = Math.max(longestMs, monotonicMs() - fromMs);
      bytesMost = Math.max(bytesMost, socket.bytesWritten);
    });
    if (receiver.from === 'connection') receiver.receive(socket);
    readWebhook(socket, (message) => {
      messages.add(message);
      if (receiver.from !== 'connection') receiver.receive(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    receiver,
    url: `${receiver.isSecure ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    cost: () => ({
      connections,
      openMost,
      openNow: sockets.size,
      longestMs,
      bytesMost,
      messages: [...messages],
    }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads to the end, since unread bytes would turn a close into a reset. */
function readWebhook(socket: Socket, onMessage: (message: string) => void): void {
  let received = '';
  let isReported = false;
  socket.on('data', (chunk) => {
    if (isReported) return;
    received += chunk.toString('latin1');
    const [head = '', body] = received.split('\r\n\r\n', 2);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (body === undefined || body.length < length) return;
    isReported = true;
    const id = /\r\nwebhook-id: (\S+)/i.exec(head)?.[1];
    onMessage(`${id} ${Buffer.from(body, 'latin1').toString()}`);
  });
}

/** As the admin API shows it, the newest attempt first. */
export type Delivery = {
  readonly id: string;
  readonly task_id: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly body: string;
  readonly attempts: readonly {
    readonly duration_ms: number;
    readonly answer_status: number | null;
    readonly answer_body: string | null;
    readonly error: string | null;
  }[];
};

/** Twice the limit of the contract, for a busy machine. */
const connectionMsMax = 30_000;
/** What the kernel buffers of a connection can hold before anything is read. */
const bytesMax = 16 * 1024 * 1024;
const responseCharactersMax = 2048;

export async function readDeliveries(admin: Client, accountId: string): Promise<Delivery[]> {
  const { body } = await admin.get(`/admin/accounts/${accountId}/deliveries?limit=100`);
  return body.items as Delivery[];
}

export function receiverViolations(
  fixture: ReceiverFixture,
  delivery: Delivery | undefined,
  { attemptsMax }: { attemptsMax: number },
): string[] {
  const describe = (what: string) => `a receiver that ${fixture.receiver.name}: ${what}`;
  if (delivery === undefined) return [describe('its webhook is still pending')];
  return [
    ...logViolations(fixture.receiver, delivery, attemptsMax),
    ...costViolations(fixture, delivery),
  ].map(describe);
}

function logViolations(
  { ends }: HostileReceiver,
  delivery: Delivery,
  attemptsMax: number,
): string[] {
  const { status, attempts } = delivery;
  const isGood = typeof ends === 'number' && ends >= 200 && ends <= 299;
  const expected = isGood ? 'delivered after 1' : `exhausted after ${attemptsMax}`;
  const actual = `${status} after ${attempts.length}`;
  const isEnd = (status: number | null, error: string | null) =>
    typeof ends === 'number' ? status === ends : ends.some((code) => code === error);
  return [
    ...(actual === expected ? [] : [`${actual} attempts, not ${expected}`]),
    ...attempts
      .filter(({ answer_status, error }) => !isEnd(answer_status, error))
      .map(({ answer_status, error }) => `an attempt ended as ${answer_status ?? error}`),
    ...attempts
      .filter(({ answer_body }) => (answer_body ?? '').length > responseCharactersMax)
      .map(({ answer_body }) => `${answer_body?.length} characters of its response were stored`),
  ];
}

function costViolations(fixture: ReceiverFixture, { id, body, attempts }: Delivery): string[] {
  const cost = fixture.cost();
  const strange = cost.messages.filter((message) => message !== `${id} ${body}`);
  return [
    ...(cost.connections === attempts.length
      ? []
      : [`${cost.connections} connections for ${attempts.length} attempts`]),
    ...(cost.openMost > 1 ? [`${cost.openMost} connections at once`] : []),
    ...(cost.openNow > 0 ? [`${cost.openNow} connections left open`] : []),
    ...(cost.longestMs > connectionMsMax ? [`held on for ${cost.longestMs} ms`] : []),
    ...(cost.bytesMost > bytesMax ? [`took ${cost.bytesMost} bytes of it`] : []),
    ...strange.map((message) => `got another message: ${message.slice(0, 200)}`),
  ];
}
