/**
 * Connections by hand: hostile bytes on some, an honest customer on others all the while. Never a
 * 5xx, never more answers than requests, never an answer that is somebody else's, and the honest
 * customer is answered throughout.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { startInterval, startTimer } from '../../../server/clock.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../kit/raw-http.ts';
import { type RawParts, type RawShape, rawShapes } from './raw-shapes.ts';
import { type FuzzTally, inBatches } from './schema-fuzz.ts';
import type { Sender } from './send.ts';

export type RawFuzzOptions = {
  readonly url: string;
  readonly parts: Omit<RawParts, 'number'>;
  /** What `GET /v1/credits` must answer whoever sends the bytes. */
  readonly own: number;
  readonly bystander: BystanderClient;
  readonly tally: FuzzTally;
  readonly runs: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
};

export type BystanderClient = {
  readonly sender: Sender;
  readonly key: string;
  readonly balance: number;
};

/** Then we say that nothing more will come: who waits for the rest of a request hears it. */
const idleMs = 250;
/** Longer than the service waits for anything: who is still connected has been forgotten. */
const forgottenMs = 60_000;

export async function fuzzSockets(options: RawFuzzOptions): Promise<void> {
  const any = fc.record({
    shape: fc.constantFrom(...Object.keys(rawShapes)),
    number: fc.nat({ max: 5000 }),
  });
  const checkShape = async ({ shape: name, number }: { shape: string; number: number }) => {
    const shape = rawShapes[name]!;
    const parts = { ...options.parts, number };
    const [received, bystanderProblem] = await Promise.all([
      sendShape(options.url, { shape, parts }),
      bystanderFault(options.bystander),
    ]);
    const fault = bystanderProblem ?? faultIn(received, { shape, own: options.own });
    if (fault === null) return;
    throw new Error(`${name}: ${fault}\n  ${JSON.stringify(shownBytes(shape, parts))}`);
  };
  await inBatches(options, async ({ runs, seed }) =>
    fc.check(fc.asyncProperty(any, checkShape), { seed, numRuns: runs }),
  );
}

const bytesOf = ({ bytes }: RawShape, parts: RawParts): Buffer => {
  const built = bytes(parts);
  return typeof built === 'string' ? Buffer.from(built, 'latin1') : built;
};

const shownBytes = (shape: RawShape, parts: RawParts): string =>
  bytesOf(shape, parts).toString('latin1').slice(0, 1500);

/** What the service said until it hung up; null when it never did. */
async function sendShape(
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
  let idleTimer = startTimer(idleMs, () => socket.end());
  const received = await readAll(socket, () => {
    idleTimer.stop();
    idleTimer = startTimer(idleMs, () => socket.end());
  });
  idleTimer.stop();
  return forgotten.stop() ? null : received;
}

/** Hangs up when nobody else does, and then says so. */
function whenForgotten(sockets: readonly Socket[]): { stop(): boolean } {
  let isForgotten = false;
  const giveUpTimer = startTimer(forgottenMs, () => {
    isForgotten = true;
    for (const socket of sockets) socket.destroy();
  });
  return {
    stop() {
      giveUpTimer.stop();
      return isForgotten;
    },
  };
}

async function readAll(socket: Socket, onData: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    onData();
  });
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function faultIn(
  received: string | null,
  { shape, own }: { shape: RawShape; own: number },
): string | null {
  if (received === null) return 'the connection was forgotten';
  let responses: readonly ParsedResponse[];
  try {
    responses = parseResponses(received).filter(({ status }) => status >= 200);
  } catch (error) {
    return `no answer of HTTP: ${(error as Error).message}`;
  }
  if (responses.length > shape.responses)
    return `${responses.length} answers: ${received.slice(0, 800)}`;
  for (const { status, body, headers } of responses) {
    const excerpt = `${status} ${JSON.stringify(body).slice(0, 300)}`;
    if (status >= 500) return `a server error: ${excerpt}`;
    if (!/^req_/.test(headers.get('x-request-id') ?? '')) return `no x-request-id: ${excerpt}`;
    if (status >= 400 && !isApiError(body)) return `not the shape of an error: ${excerpt}`;
    const { available } = body as { available?: number };
    if (available !== undefined && available !== own) return `somebody else’s answer: ${excerpt}`;
  }
  return null;
}

const isApiError = (body: unknown): boolean => {
  const { error } = body as { error?: { code?: string; message?: string } };
  return typeof error?.code === 'string' && typeof error.message === 'string';
};

/** The honest customer: asks what it has, and is told what it has. */
export async function bystanderFault({
  sender,
  key,
  balance,
}: BystanderClient): Promise<string | null> {
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
  { url, parts, bystander }: Pick<RawFuzzOptions, 'url' | 'parts' | 'bystander'>,
  { count, drips }: { readonly count: number; readonly drips: boolean },
): Promise<string[]> {
  const beginnings = [
    '',
    'GET /v1/credits HTTP/1.1\r\nHost: localhost\r\nX: ',
    `POST /v1/videos/generations/estimate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ` +
      `${parts.key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
  ].slice(drips ? 1 : 0);
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(url)));
  const ends = sockets.map((socket) => readAll(socket, () => {}));
  for (const [at, socket] of sockets.entries()) socket.write(beginnings[at % beginnings.length]!);
  const dripping = startInterval(dripMs, () => {
    for (const socket of sockets) if (drips && socket.writable) socket.write(' ');
  });
  const faults = [await bystanderFault(bystander)];
  if (drips) {
    const forgotten = whenForgotten(sockets);
    const received = await Promise.all(ends);
    if (forgotten.stop()) faults.push('a connection that drips was never hung up on');
    for (const text of received) faults.push(faultIn(text, { shape: oneResponse, own: -1 }));
  }
  dripping.stop();
  for (const socket of sockets) socket.destroy();
  faults.push(await bystanderFault(bystander));
  return faults.filter((fault) => fault !== null);
}

const dripMs = 500;
const oneResponse: RawShape = { responses: 1, bytes: () => '' };
