/**
 * The base of the fake upstreams: a server on 127.0.0.1 that records its requests, keeps a table of
 * what was started, and applies the fault planned for the next request of an operation. A subclass
 * adds only what is the vendor's own: routes, the fields of recorded requests, and responses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalServer, readBody, startLocalServer } from './local-server.ts';
import { type ResultServer, startResultServer } from './result-server.ts';

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

/** A proxy's response to a path it does not know. */
export const htmlPage: FakeResponse = {
  status: 404,
  body: '<html><body><h1>Not Found</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};

/**
 * What happens to one request. `work`: whether the request takes effect; `late` work takes effect
 * at `finishLate()`. `response`: what the caller receives; `lose` breaks the connection, `hang`
 * never responds.
 */
export type Fault = {
  readonly work: 'done' | 'not-done' | 'late';
  readonly response: 'lose' | 'hang' | FakeResponse;
};

/** Declined or garbled before the request took effect. */
export const declined = (response: FakeResponse): Fault => ({ work: 'not-done', response });

export type ReceivedRequest<Operation extends string> = {
  readonly operation: Operation | 'none';
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

export abstract class FakeUpstream<
  Operation extends string,
  Item extends { readonly id: string } = never,
  Options extends object = object,
> implements AsyncDisposable
{
  readonly requests: ReceivedRequest<Operation>[] = [];
  /** Where finished videos are: signed URLs of another host. */
  results!: ResultServer;
  protected readonly options: Options;
  /** What was started and is still known, oldest first. */
  protected readonly items = new Map<string, Item>();
  protected readonly basePath: string = '';
  readonly #faults = new Map<Operation, Fault[]>();
  readonly #late: (() => unknown)[] = [];
  #server: LocalServer | undefined;

  constructor(options: Options) {
    this.options = options;
  }

  static async start<Fake extends FakeUpstream<string, { readonly id: string }>, Options>(
    this: new (
      options: Options,
    ) => Fake,
    options: Options = {} as Options,
  ): Promise<Fake> {
    return await new this(options).listen();
  }

  protected async listen(): Promise<this> {
    this.results = await startResultServer();
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      // A request that breaks off while it is being sent counts as not received.
      this.#serve(request, response).catch(() => request.socket.destroy());
    };
    this.#server = await startLocalServer(serve, { maxHeaderSize: 64 * 1024 });
    return this;
  }

  get origin(): string {
    return this.#server!.origin;
  }

  get baseUrl(): string {
    return this.origin + this.basePath;
  }

  started(): readonly Item[] {
    return [...this.items.values()];
  }

  /** Plans faults for the next requests of an operation, applied in turn. */
  next(operation: Operation, ...faults: readonly Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** Requests with `late` work take effect now. */
  finishLate(): void {
    for (const work of this.#late.splice(0)) work();
  }

  /** Forgets an item, as upstreams do after some days. */
  vanish(id: string): void {
    this.items.delete(id);
  }

  /** Makes the upstream unreachable; its records can still be read. */
  async close(): Promise<void> {
    await this.#server?.close();
    await this.results?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  item(id: string): Item {
    const item = this.items.get(id);
    if (!item) throw new Error(`the fake has no item ${id}`);
    return item;
  }

  /** The fault of a request that no `next` is waiting for. */
  protected unplannedFault(_operation: Operation): Fault | undefined {
    return undefined;
  }

  protected abstract operationOf(method: string, path: string): Operation | 'none';
  /** The response before any work: a wrong key or an unknown path. Null lets the request pass. */
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
    const work = () => this.work(operation, request);
    const fault = this.#faults.get(operation)?.shift() ?? this.unplannedFault(operation);
    if (!fault) return send(response, await work());
    if (fault.work === 'done') await work();
    if (fault.work === 'late') this.#late.push(work);
    if (fault.response === 'lose') message.socket.destroy();
    else if (fault.response !== 'hang') send(response, fault.response);
  }
}

/** The JSON object of a body; an empty one where the body is not JSON. */
export function parsed<Body extends object>(body: Buffer): Partial<Body> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Body) : {};
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status, body, headers }: FakeResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
