/**
 * Connections by hand: hostile bytes on some, an honest customer on others all the while. Never a
 * 5xx, never more answers than requests, never an answer that is somebody else's, and the honest
 * customer is answered throughout.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { after, every } from '../../../server/clock.ts';
import { answersIn, openSocket, type RawAnswer } from '../../kit/raw-http.ts';
import { type RawParts, type RawShape, rawShapes } from './raw-shapes.ts';
import { inBatches, type Tally } from './schema-fuzz.ts';
import type { Sender } from './send.ts';

export type RawOrder = {
  readonly url: string;
  readonly parts: Omit<RawParts, 'number'>;
  /** What `GET /v1/credits` must answer whoever sends the bytes. */
  readonly own: number;
  readonly victim: Victim;
  readonly tally: Tally;
  readonly runs: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
};

export type Victim = { readonly sender: Sender; readonly key: string; readonly balance: number };

/** Then we say that nothing more will come: who waits for the rest of a request hears it. */
const silenceMs = 250;
/** Longer than the service waits for anything: who is still connected has been forgotten. */
const forgottenMs = 60_000;

export async function fuzzSockets(order: RawOrder): Promise<void> {
  const any = fc.record({
    shape: fc.constantFrom(...Object.keys(rawShapes)),
    number: fc.nat({ max: 5000 }),
  });
  const ask = async ({ shape: name, number }: { shape: string; number: number }) => {
    const shape = rawShapes[name]!;
    const parts = { ...order.parts, number };
    const [said, trouble] = await Promise.all([
      converse(order.url, { shape, parts }),
      victimFault(order.victim),
    ]);
    const fault = trouble ?? faultIn(said, { shape, own: order.own });
    if (fault === null) return;
    throw new Error(`${name}: ${fault}\n  ${JSON.stringify(shownBytes(shape, parts))}`);
  };
  await inBatches(order, async ({ runs, seed }) =>
    fc.check(fc.asyncProperty(any, ask), { seed, numRuns: runs }),
  );
}

const bytesOf = ({ bytes }: RawShape, parts: RawParts): Buffer => {
  const made = bytes(parts);
  return typeof made === 'string' ? Buffer.from(made, 'latin1') : made;
};

const shownBytes = (shape: RawShape, parts: RawParts): string =>
  bytesOf(shape, parts).toString('latin1').slice(0, 1500);

/** What the service said until it hung up; null when it never did. */
async function converse(
  url: string,
  { shape, parts }: { shape: RawShape; parts: RawParts },
): Promise<string | null> {
  const socket = await openSocket(url);
  const bytes = bytesOf(shape, parts);
  if (shape.ending === 'reset') {
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
    return '';
  }
  const forgotten = whenForgotten([socket]);
  socket.write(bytes);
  let patience = after(silenceMs, () => socket.end());
  const said = await heard(socket, () => {
    patience.stop();
    patience = after(silenceMs, () => socket.end());
  });
  patience.stop();
  return forgotten.stop() ? null : said;
}

/** Hangs up when nobody else does, and then says so. */
function whenForgotten(sockets: readonly Socket[]): { stop(): boolean } {
  let isForgotten = false;
  const impatience = after(forgottenMs, () => {
    isForgotten = true;
    for (const socket of sockets) socket.destroy();
  });
  return {
    stop() {
      impatience.stop();
      return isForgotten;
    },
  };
}

async function heard(socket: Socket, onData: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    onData();
  });
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function faultIn(
  said: string | null,
  { shape, own }: { shape: RawShape; own: number },
): string | null {
  if (said === null) return 'the connection was forgotten';
  let answers: readonly RawAnswer[];
  try {
    answers = answersIn(said).filter(({ status }) => status >= 200);
  } catch (error) {
    return `no answer of HTTP: ${(error as Error).message}`;
  }
  if (answers.length > shape.answers) return `${answers.length} answers: ${said.slice(0, 800)}`;
  for (const { status, body, headers } of answers) {
    const told = `${status} ${JSON.stringify(body).slice(0, 300)}`;
    if (status >= 500) return `a server error: ${told}`;
    if (!/^req_/.test(headers.get('x-request-id') ?? '')) return `no x-request-id: ${told}`;
    if (status >= 400 && !isRefusal(body)) return `not the shape of an error: ${told}`;
    const { available } = body as { available?: number };
    if (available !== undefined && available !== own) return `somebody else’s answer: ${told}`;
  }
  return null;
}

const isRefusal = (body: unknown): boolean => {
  const { error } = body as { error?: { code?: string; message?: string } };
  return typeof error?.code === 'string' && typeof error.message === 'string';
};

/** The honest customer: asks what it has, and is told what it has. */
export async function victimFault({ sender, key, balance }: Victim): Promise<string | null> {
  const { status, body } = await sender.send({
    method: 'GET',
    path: '/v1/credits',
    headers: [['authorization', `Bearer ${key}`]],
    body: null,
  });
  const { available } = JSON.parse(body.toString()) as { available?: number };
  if (status === 200 && available === balance) return null;
  return `an honest request was answered ${status} ${body.toString().slice(0, 300)}`;
}

/**
 * So many connections at once that say half of something: dripped into until the service has had
 * enough, or left alone until we have.
 */
export async function holdConnections(
  { url, parts, victim }: Pick<RawOrder, 'url' | 'parts' | 'victim'>,
  { count, drips }: { readonly count: number; readonly drips: boolean },
): Promise<string[]> {
  const beginnings = [
    '',
    'GET /v1/credits HTTP/1.1\r\nHost: localhost\r\nX: ',
    `POST /v1/videos/generations/estimate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ` +
      `${parts.key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
  ].slice(drips ? 1 : 0);
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(url)));
  const ends = sockets.map((socket) => heard(socket, () => {}));
  for (const [at, socket] of sockets.entries()) socket.write(beginnings[at % beginnings.length]!);
  const dripping = every(dripMs, () => {
    for (const socket of sockets) if (drips && socket.writable) socket.write(' ');
  });
  const troubles = [await victimFault(victim)];
  if (drips) {
    const forgotten = whenForgotten(sockets);
    const said = await Promise.all(ends);
    if (forgotten.stop()) troubles.push('a connection that drips was never hung up on');
    for (const text of said) troubles.push(faultIn(text, { shape: oneAnswer, own: -1 }));
  }
  dripping.stop();
  for (const socket of sockets) socket.destroy();
  troubles.push(await victimFault(victim));
  return troubles.filter((trouble) => trouble !== null);
}

const dripMs = 500;
const oneAnswer: RawShape = { answers: 1, bytes: () => '' };
