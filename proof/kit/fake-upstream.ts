/**
 * What the doubles of upstreams have in common: a server on 127.0.0.1 that remembers its requests,
 * and faults that wait for the next request of a kind. What an upstream says is up to its double.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from './result-server.ts';

export type FakeResponse = {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): FakeResponse => ({ status, body: JSON.stringify(body), headers });

/** A proxy's word for what it does not know. */
export const htmlPage: FakeResponse = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};

/** Whether the request takes effect, and what the caller gets to see of it. */
export type Fault = {
  readonly work: 'done' | 'not-done';
  readonly response: 'lose' | 'hang' | FakeResponse;
};

/** Refused or garbled before it took effect. */
export const declined = (response: FakeResponse): Fault => ({ work: 'not-done', response });

export type ReceivedRequest<Operation extends string> = {
  readonly operation: Operation | 'none';
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** A held resource: a listening server and its state. */
export abstract class FakeUpstream<Operation extends string> implements AsyncDisposable {
  readonly requests: ReceivedRequest<Operation>[] = [];
  readonly #faults = new Map<Operation, Fault[]>();
  // A caller that dies in the middle of its request has not asked for anything.
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy());
  });

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next request of that kind meets this fault; several are met in turn. */
  next(operation: Operation, ...faults: readonly Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** Also a way to become unreachable: its records can still be looked at. */
  close(): Promise<void> {
    return closeServer(this.#server);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected abstract operationOf(method: string, path: string): Operation | 'none';
  /** What is answered before anything is done: no key, or no such path. Null: it may go on. */
  protected abstract rejection(request: ReceivedRequest<Operation>): FakeResponse | null;
  protected abstract work(
    operation: Operation,
    request: ReceivedRequest<Operation>,
  ): FakeResponse | Promise<FakeResponse>;

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = message;
    const url = new URL(path, 'http://127.0.0.1');
    const body = await readBody(message);
    const operation = this.operationOf(method, url.pathname);
    const request = { operation, method, path, url, headers, body };
    this.requests.push(request);
    const rejection = this.rejection(request);
    if (rejection) return send(response, rejection);
    if (operation === 'none') return send(response, htmlPage);
    const fault = this.#faults.get(operation)?.shift();
    if (!fault) return send(response, await this.work(operation, request));
    if (fault.work === 'done') await this.work(operation, request);
    if (fault.response === 'lose') message.socket.destroy();
    else if (fault.response !== 'hang') send(response, fault.response);
  }
}

/** What a body says; nothing where it is no JSON. */
export function parsed<Body extends object>(body: Buffer): Partial<Body> {
  try {
    return JSON.parse(body.toString()) as Body;
  } catch {
    return {};
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, body, headers }: FakeResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
