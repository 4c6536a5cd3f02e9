/**
 * A minimal load balancer: each request goes to the next process in turn, on a connection of its
 * own, and once more to the other process when the first did not respond.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeServer } from '../../kit/local-server.ts';

export class Balancer implements AsyncDisposable {
  /** Requests that neither process answered, or only with a 5xx. */
  readonly failed: string[] = [];
  #requests = 0;
  readonly #server = createServer((incoming, response) => void this.#serve(incoming, response));
  readonly #ports: readonly number[];

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  static async open({ port, to }: { port: number; to: readonly number[] }): Promise<Balancer> {
    const balancer = new Balancer(to);
    await once(balancer.#server.listen(port, '127.0.0.1'), 'listening');
    return balancer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const nth = this.#requests++;
    const portAt = (at: number) => this.#ports[at % this.#ports.length]!;
    const forwarded = await forward(portAt(nth), incoming, body).catch(() =>
      forward(portAt(nth + 1), incoming, body).catch((error: Error) => error),
    );
    const isError = forwarded instanceof Error;
    if (isError || forwarded.statusCode! >= 500) {
      const why = isError ? forwarded.message : `status ${forwarded.statusCode}`;
      this.failed.push(`${incoming.method} ${incoming.url}: ${why}`);
    }
    if (isError) return void response.writeHead(502).end();
    response.writeHead(forwarded.statusCode!, forwarded.headers);
    forwarded.pipe(response);
  }
}

/** Rejects when no response came; requests with an Idempotency-Key may then be sent again. */
function forward(
  port: number,
  { method = 'GET', url: path = '/', headers }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { connection: _, 'transfer-encoding': __, ...kept } = headers;
    const sent = { ...kept, 'content-length': String(body.length), connection: 'close' };
    const options = { host: '127.0.0.1', port, method, path, agent: false, headers: sent } as const;
    request(options, resolve).on('error', reject).end(body);
  });
}
