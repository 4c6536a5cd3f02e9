/**
 * Sends hostile bytes on connections while an honest client uses others. No response is a 5xx or
 * belongs to another client, there are never more responses than requests, and the honest client is
 * always answered.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { startTimer } from '../../../server/process/clock.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../kit/raw-http.ts';
import { type RawParts, type RawShape, rawShapes } from './raw-shapes.ts';
import type { Sender } from './send.ts';

export type RawFuzzOptions = {
  readonly url: string;
  readonly parts: Omit<RawParts, 'number'>;
  /** The balance of the client that sends the bytes. */
  readonly own: number;
  readonly bystander: BystanderClient;
};

type BystanderClient = {
  readonly sender: Sender;
  readonly key: string;
  readonly balance: number;
};

/** The client ends its side after this time, so that the service stops waiting for more. */
const idleMs = 250;
/** Longer than any timeout of the service: a connection that is still open has been forgotten. */
const forgottenMs = 60_000;

export async function fuzzSockets(
  options: RawFuzzOptions,
  parameters: { readonly numRuns: number; readonly seed: number },
): Promise<void> {
  const names = Object.keys(rawShapes({ ...options.parts, number: 1 }));
  const any = fc.record({ name: fc.constantFrom(...names), number: fc.nat({ max: 5000 }) });
  const checkShape = async ({ name, number }: { name: string; number: number }) => {
    const shape = rawShapes({ ...options.parts, number })[name]!;
    const [received, bystanderProblem] = await Promise.all([
      sendShape(options.url, shape),
      bystanderFault(options.bystander),
    ]);
    const fault = bystanderProblem ?? faultIn(received, { shape, own: options.own });
    if (fault === null) return;
    const excerpt = bytesOf(shape).toString('latin1').slice(0, 1500);
    throw new Error(`${name}: ${fault}\n  ${JSON.stringify(excerpt)}`);
  };
  await fc.assert(fc.asyncProperty(any, checkShape), parameters);
}

const bytesOf = ({ bytes }: RawShape): Buffer =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;

/** Everything the service sent until it closed the connection; null when it never did. */
async function sendShape(url: string, shape: RawShape): Promise<string | null> {
  const socket = await openSocket(url);
  const bytes = bytesOf(shape);
  if (shape.ending === 'reset') {
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
    return '';
  }
  let isForgotten = false;
  const giveUpTimer = startTimer(forgottenMs, () => {
    isForgotten = true;
    socket.destroy();
  });
  socket.write(bytes);
  let idleTimer = startTimer(idleMs, () => socket.end());
  const received = await readAll(socket, () => {
    idleTimer.stop();
    idleTimer = startTimer(idleMs, () => socket.end());
  });
  idleTimer.stop();
  giveUpTimer.stop();
  return isForgotten ? null : received;
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
    return `no HTTP response: ${(error as Error).message}`;
  }
  if (responses.length > shape.responses)
    return `${responses.length} responses: ${received.slice(0, 800)}`;
  for (const { status, body, headers } of responses) {
    const excerpt = `${status} ${JSON.stringify(body).slice(0, 300)}`;
    if (status >= 500) return `a server error: ${excerpt}`;
    if (!/^req_/.test(headers.get('x-request-id') ?? '')) return `no x-request-id: ${excerpt}`;
    if (status >= 400 && !isApiError(body)) return `not the shape of an error: ${excerpt}`;
    const { available } = body as { available?: number };
    if (available !== undefined && available !== own)
      return `the response of another client: ${excerpt}`;
  }
  return null;
}

const isApiError = (body: unknown): boolean => {
  const { error } = body as { error?: { code?: string; message?: string } };
  return typeof error?.code === 'string' && typeof error.message === 'string';
};

/** The honest client reads its balance. */
async function bystanderFault({ sender, key, balance }: BystanderClient): Promise<string | null> {
  const { status, body } = await sender.send({
    method: 'GET',
    path: '/v1/credits',
    headers: [['authorization', `Bearer ${key}`]],
    body: null,
  });
  const { available } = JSON.parse(body.toString()) as { available?: number };
  if (status === 200 && available === balance) return null;
  return `an honest request returned ${status} ${body.toString().slice(0, 300)}`;
}
