/**
 * A TCP proxy that resets both of its connections at a chosen place of one HTTP exchange, as a
 * firewall or a broken network does. All other exchanges pass unchanged.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export const cutPlaces = [
  'before the request',
  'in its headers',
  'in its body',
  'after it',
  'before the response',
  'in the response headers',
  'in the response body',
  'after the response',
] as const;
type CutPlace = (typeof cutPlaces)[number];

/** Which exchange is cut: the first create for `POST`, and the first read for `GET`. */
export type Cut = { readonly method: 'GET' | 'POST'; readonly place: CutPlace };

/** Clients send the whole head at once. */
const headBytesMax = 4096;

type ProxyOptions = {
  /** The processes of the service; connections go to them in turn. */
  readonly to: readonly string[];
  readonly cut: Cut | null;
  /** What the head of a create has. */
  readonly createHead: RegExp;
};

/** A held resource: a port of its own, and every connection made through it. */
export class CuttingProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #to: readonly string[];
  readonly #sockets = new Set<Socket>();
  readonly #createHead: RegExp;
  #cut: Cut | null;
  #creates = 0;
  #connections = 0;

  private constructor(server: Server, options: ProxyOptions) {
    this.#server = server;
    this.#to = options.to;
    this.#createHead = options.createHead;
    this.#cut = options.cut;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (client) => this.#connect(client));
  }

  static async open(options: ProxyOptions): Promise<CuttingProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, options);
  }

  /** Whether the exchange was cut. */
  get hasCut(): boolean {
    return this.#cut === null;
  }

  /** Creates that were sent, even in part. */
  get creates(): number {
    return this.#creates;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connect(client: Socket): void {
    const { port } = new URL(this.#to[this.#connections++ % this.#to.length]!);
    const service = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    const pair = [service, client];
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const other of pair) if (!other.destroyed) other.destroySoon();
      });
    }
    // The service sees the reset first: a client may repeat its request at once.
    const reset = () => pair.forEach((socket) => void socket.resetAndDestroy());
    const exchanges = new Exchanges({
      client,
      service,
      reset,
      takeCut: (head) => this.#take(head),
    });
    client.on('data', (bytes) => exchanges.onRequestBytes(bytes));
    service.on('data', (bytes) => exchanges.onResponseBytes(bytes));
    client.on('end', () => service.end());
    service.on('end', () => client.end());
  }

  #take(firstBytes: Buffer): CutPlace | null {
    const head = firstBytes.toString('latin1', 0, headBytesMax);
    const isCreate = this.#createHead.test(head);
    if (isCreate) this.#creates += 1;
    const cut = this.#cut;
    if (!cut || !(cut.method === 'POST' ? isCreate : head.startsWith('GET '))) return null;
    this.#cut = null;
    return cut.place;
  }
}

type ConnectionParts = {
  readonly client: Socket;
  readonly service: Socket;
  reset(): void;
  takeCut(firstBytes: Buffer): CutPlace | null;
};

/** The exchanges of one connection, one after the other: no client here pipelines. */
class Exchanges {
  readonly #parts: ConnectionParts;
  #phase: 'request' | 'response' = 'response';
  #place: CutPlace | null = null;
  #held = Buffer.alloc(0);

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  onRequestBytes(bytes: Buffer): void {
    const { service, reset, takeCut } = this.#parts;
    if (this.#phase === 'response') {
      this.#phase = 'request';
      this.#held = Buffer.alloc(0);
      this.#place = takeCut(bytes);
    }
    if (this.#place === 'before the request') return void reset();
    if (this.#place === null) {
      // Nothing of this exchange is cut, so its end does not matter.
      this.#phase = 'response';
      return void service.write(bytes);
    }
    this.#held = Buffer.concat([this.#held, bytes]);
    const end = messageEnd(this.#held);
    if (!end?.isComplete) return;
    this.#phase = 'response';
    const cutAt = { 'in its headers': end.headBytes / 2, 'in its body': end.bodyMiddle }[
      this.#place as string
    ];
    const request = this.#held;
    this.#held = Buffer.alloc(0);
    if (cutAt !== undefined) return void this.#sendThenReset(service, request.subarray(0, cutAt));
    if (this.#place === 'after it') return void this.#sendThenReset(service, request);
    service.write(request);
  }

  onResponseBytes(bytes: Buffer): void {
    const { client, reset } = this.#parts;
    if (this.#place === null) return void client.write(bytes);
    if (this.#place === 'before the response') return void reset();
    this.#held = Buffer.concat([this.#held, bytes]);
    const end = messageEnd(this.#held);
    if (!end?.isComplete) return;
    const lengths: Partial<Record<CutPlace, number>> = {
      'in the response headers': end.headBytes / 2,
      'in the response body': end.bodyMiddle,
    };
    this.#sendThenReset(client, this.#held.subarray(0, lengths[this.#place]));
  }

  /** What was sent may be read by the other side before the reset arrives. */
  #sendThenReset(socket: Socket, bytes: Buffer): void {
    socket.write(bytes, () => this.#parts.reset());
  }
}

type MessageEnd = {
  /** Up to the empty line, which is included. */
  readonly headBytes: number;
  /** An offset within the body; the end of the head if there is none. */
  readonly bodyMiddle: number;
  readonly isComplete: boolean;
};

/** Returns null while the head is incomplete. */
function messageEnd(message: Buffer): MessageEnd | null {
  const headEnd = message.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const headBytes = headEnd + 4;
  const head = message.toString('latin1', 0, headEnd);
  const bodyMiddle = headBytes + Math.floor((message.length - headBytes) / 2);
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const isComplete = message.subarray(-5).equals(Buffer.from('0\r\n\r\n'));
    return { headBytes, bodyMiddle, isComplete };
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return { headBytes, bodyMiddle, isComplete: message.length >= headBytes + length };
}
