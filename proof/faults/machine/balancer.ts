/**
 * A load balancer as small as can be: each request goes to the next process in turn, on a
 * connection of its own, and once to another when the first did not answer. Counts what it could
 * not help.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';

type BufferedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** A held resource: a listening port. */
export class Balancer implements AsyncDisposable {
  /** Requests that neither of two processes answered, or only with a fault of ours. */
  readonly failed: string[] = [];
  readonly #server: Server;
  readonly #ports: readonly number[];
  #requests = 0;
  #retries = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  static async open({
    port,
    to,
  }: {
    readonly port: number;
    readonly to: readonly number[];
  }): Promise<Balancer> {
    const balancer = new Balancer(to);
    await once(balancer.#server.listen(port, '127.0.0.1'), 'listening');
    return balancer;
  }

  get counts(): { readonly requests: number; readonly retries: number } {
    return { requests: this.#requests, retries: this.#retries };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const whole: BufferedRequest = { method, path, headers, body: Buffer.concat(chunks) };
    const index = this.#requests++;
    const portAt = (at: number) => this.#ports[at % this.#ports.length]!;
    const upstreamResponse = await forward(portAt(index), whole).catch(async () => {
      this.#retries += 1;
      return await forward(portAt(index + 1), whole).catch((error: Error) => error);
    });
    if (upstreamResponse instanceof Error || upstreamResponse.statusCode! >= 500) {
      const why =
        upstreamResponse instanceof Error
          ? upstreamResponse.message
          : `status ${upstreamResponse.statusCode}`;
      this.failed.push(`${method} ${path}: ${why}`);
    }
    if (upstreamResponse instanceof Error) return void response.writeHead(502).end();
    response.writeHead(upstreamResponse.statusCode!, upstreamResponse.headers);
    upstreamResponse.pipe(response);
  }
}

/** Rejects when no answer came; what was asked with an Idempotency-Key may then be asked again. */
function forward(
  port: number,
  { method, path, headers, body }: BufferedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, agent: false } as const;
    const { connection, 'transfer-encoding': _coding, ...forwarded } = headers;
    const sent = { ...forwarded, 'content-length': String(body.length), connection: 'close' };
    request({ ...options, headers: sent }, resolve)
      .on('error', reject)
      .end(body);
  });
}
