/**
 * ModelArk on 127.0.0.1: create, get, list and delete as the real one answers them, moved on by the
 * test, with a switch for every way it can fail. Counts generations for each `safety_identifier`,
 * so that a test can prove that nothing was started twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicMs, unixSeconds } from '../../../server/clock.ts';
import { closeServer, type ResultServer, startResultServer } from '../result-server.ts';
import { createCallbacks, type FakeCallback } from './callbacks.ts';
import { type DocumentedCode, documentedError, type ModelArkResponse } from './errors.ts';
import { checkCreate, failsLater, type ModelArkCreateBody } from './rules.ts';
import { type FakeTask, newTask, viewOf } from './tasks.ts';

export const fakeModels = {
  'vidgen-2-5': 'dreamina-seedance-2-5-260628',
  'vidgen-2-0': 'dreamina-seedance-2-0-260128',
  'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
  'vidgen-2-0-mini': 'dreamina-seedance-2-0-mini-260615',
} as const;

export type ModelArkOperation = 'create' | 'get' | 'list' | 'delete';

/**
 * What happens to one request. `work`: whether the request takes effect; `late` means that it does
 * so at `finishLate()`, after the caller has long been cut off. `answer`: what the caller gets to
 * see.
 */
export type ModelArkFault = {
  readonly work: 'done' | 'not-done' | 'late';
  readonly response: 'lose' | 'hang' | ModelArkResponse;
};

export type ModelArkRequest = {
  readonly operation: ModelArkOperation | 'none';
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
};

export type FakeModelArkOptions = {
  readonly apiKey?: string;
  /** Each look at a task moves it on: queued, running, then its end. */
  readonly automatic?: boolean;
  /** 0 for no limit; the real one allows 1. */
  readonly listPerSecond?: number;
  /** No limit unless told; the real one allows 20. */
  readonly getPerSecond?: number;
  /** More ids in one list are refused, as a gateway refuses an address that is too long. */
  readonly listIdsMax?: number;
  readonly listOrder?: 'newest-first' | 'oldest-first';
  readonly downloadsMax?: number;
  readonly callbackTimeoutMs?: number;
  /** Asked for every request that no `next` is waiting for: a schedule of faults, or a dice. */
  readonly fault?: (operation: ModelArkOperation) => ModelArkFault | undefined;
};

const prefix = '/api/v3/contents/generations/tasks';
const retriedStatuses = ['succeeded', 'failed'];

/** A held resource: a listening server and its state. */
export class FakeModelArk implements AsyncDisposable {
  readonly apiKey: string;
  readonly requests: ModelArkRequest[] = [];
  readonly results: ResultServer;
  readonly #options: FakeModelArkOptions;
  readonly #tasks = new Map<string, FakeTask>();
  readonly #generations = new Map<string, number>();
  readonly #faults: Record<ModelArkOperation, ModelArkFault[]> = {
    create: [],
    get: [],
    list: [],
    delete: [],
  };
  readonly #late: (() => void)[] = [];
  readonly #callbacks;
  // A caller that dies in the middle of its request has not asked for anything.
  readonly #server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy());
  });
  readonly #limits: Partial<Record<ModelArkOperation, Limit>>;
  #limited = 0;

  private constructor(options: FakeModelArkOptions, results: ResultServer) {
    this.#options = options;
    this.apiKey = options.apiKey ?? 'ark-test-key';
    this.results = results;
    this.#callbacks = createCallbacks({ timeoutMs: options.callbackTimeoutMs ?? 5_000 });
    this.#limits = {
      list: createLimit(options.listPerSecond ?? 1),
      get: createLimit(options.getPerSecond ?? 0),
    };
  }

  static async start(options: FakeModelArkOptions = {}): Promise<FakeModelArk> {
    const results = await startResultServer({ getsMax: options.downloadsMax ?? 100 });
    const fake = new FakeModelArk(options, results);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v3`;
  }

  /** The next request of that kind meets this fault; several are met in turn. */
  next(operation: ModelArkOperation, ...faults: readonly ModelArkFault[]): void {
    this.#faults[operation].push(...faults);
  }

  /** How many generations were really started under an identifier. */
  generations(safetyIdentifier: string): number {
    return this.#generations.get(safetyIdentifier) ?? 0;
  }

  task(id: string): FakeTask {
    const task = this.#tasks.get(id);
    if (!task) throw new Error(`the double has no task ${id}`);
    return task;
  }

  tasks(): readonly FakeTask[] {
    return [...this.#tasks.values()];
  }

  /** Looks that were refused for coming too fast. */
  get limited(): number {
    return this.#limited;
  }

  /** A task that someone else on the account created. */
  add(task: FakeTask): void {
    this.#tasks.set(task.id, task);
  }

  /** Moves a task to a status, known or not, and calls its callback address. */
  advance(
    id: string,
    status: string,
    end: { readonly code?: DocumentedCode; readonly video?: boolean } = {},
  ): void {
    const task = this.task(id);
    task.status = status;
    task.updatedSeconds = unixSeconds();
    task.video = end.video ?? true;
    if (status === 'failed') {
      const code = end.code ?? 'InternalServiceError';
      task.error = JSON.parse(documentedError(code).body).error;
    }
    // A cancelled task is not called about.
    if (status !== 'cancelled') this.sendCallback(id);
  }

  /** Calls the callback address again: a duplicate, or with another status one out of order. */
  sendCallback(id: string, change: Readonly<Record<string, unknown>> = {}): void {
    const task = this.task(id);
    const url = task.body.callback_url;
    if (!url) return;
    const final = retriedStatuses.includes(task.status);
    this.#callbacks.send(url, { ...viewOf(task, this.results), ...change }, { final });
  }

  get callbacks(): readonly FakeCallback[] {
    return this.#callbacks.sent;
  }

  callbacksSettled(): Promise<void> {
    return this.#callbacks.settled();
  }

  /** The record is gone, as after seven days. */
  vanish(id: string): void {
    this.#tasks.delete(id);
  }

  /** Requests with `late` work take effect now. */
  finishLate(): void {
    for (const work of this.#late.splice(0)) work();
  }

  /** Also a way to become unreachable: its records can still be looked at. */
  async close(): Promise<void> {
    await this.results.close();
    await closeServer(this.#server);
    await this.#callbacks.settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const text = await readText(request);
    const operation = operationOf(request.method, url.pathname);
    const body = parse(text);
    this.requests.push({ operation, path: url.pathname, headers: request.headers, body });

    if (request.headers.authorization !== `Bearer ${this.apiKey}`) {
      return send(response, documentedError('AuthenticationError'));
    }
    if (operation === 'none') return send(response, { status: 404, body: '404 page not found' });

    const work = () => this.#work(operation, url, body);
    const fault = this.#faults[operation].shift() ?? this.#options.fault?.(operation);
    if (!fault) return send(response, work());
    if (fault.work === 'done') work();
    if (fault.work === 'late') this.#late.push(work);
    if (fault.response === 'lose') request.socket.destroy();
    else if (fault.response !== 'hang') send(response, fault.response);
  }

  #work(operation: ModelArkOperation, url: URL, body: unknown): ModelArkResponse {
    if (this.#limits[operation]?.() === false) {
      this.#limited += 1;
      return documentedError('AccountRateLimitExceeded');
    }
    if (operation === 'create') return this.#create(body as ModelArkCreateBody);
    if (operation === 'list') return this.#list(url.searchParams);
    const task = this.#tasks.get(url.pathname.slice(prefix.length + 1));
    if (!task) return documentedError('NotFound.id');
    return operation === 'get' ? this.#get(task) : this.#delete(task);
  }

  #create(body: ModelArkCreateBody): ModelArkResponse {
    const violation = checkCreate(body);
    if (violation) return documentedError(violation.code, violation);
    const task = newTask(body, unixSeconds());
    this.#tasks.set(task.id, task);
    const identifier = body.safety_identifier ?? '';
    this.#generations.set(identifier, this.generations(identifier) + 1);
    this.sendCallback(task.id);
    return { status: 200, body: JSON.stringify({ id: task.id }) };
  }

  #get(task: FakeTask): ModelArkResponse {
    const response = { status: 200, body: JSON.stringify(viewOf(task, this.results)) };
    if (this.#options.automatic) {
      if (task.status === 'queued') this.advance(task.id, 'running');
      else if (task.status === 'running' && failsLater(task.body)) {
        this.advance(task.id, 'failed', { code: 'InvalidParameter.TaskTypeConstraint' });
      } else if (task.status === 'running') this.advance(task.id, 'succeeded');
    }
    return response;
  }

  #list(query: URLSearchParams): ModelArkResponse {
    const pageNumber = Number(query.get('page_num') ?? 1);
    const pageSize = Number(query.get('page_size') ?? 20);
    if (!(pageNumber >= 1 && pageNumber <= 500 && pageSize >= 1 && pageSize <= 500)) {
      return documentedError('InvalidParameter', { message: 'page_num or page_size is not valid' });
    }
    const [status, model, ids] = ['filter.status', 'filter.model', 'filter.task_ids'].map((name) =>
      query.getAll(name),
    ) as [string[], string[], string[]];
    if (ids.length > (this.#options.listIdsMax ?? Number.POSITIVE_INFINITY)) {
      return { status: 414, body: '<html><h1>414 Request-URI Too Large</h1></html>' };
    }
    const requestedIds = new Set(ids);
    const oldestFirst = [...this.#tasks.values()]
      .filter(
        (task) =>
          (status.length === 0 || status.includes(task.status)) &&
          (model.length === 0 || model.includes(task.body.model)) &&
          (requestedIds.size === 0 || requestedIds.has(task.id)),
      )
      .sort((one, other) => one.createdSeconds - other.createdSeconds);
    const order = this.#options.listOrder ?? 'newest-first';
    const tasks = order === 'newest-first' ? oldestFirst.reverse() : oldestFirst;
    const page = tasks.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    const items = page.map((task) => viewOf(task, this.results));
    return { status: 200, body: JSON.stringify({ total: tasks.length, items }) };
  }

  #delete(task: FakeTask): ModelArkResponse {
    if (task.status === 'running') return documentedError('InvalidAction.RunningTaskDeletion');
    if (task.status === 'cancelled') return documentedError('InvalidParameter');
    if (task.status === 'queued') this.advance(task.id, 'cancelled');
    else this.vanish(task.id);
    return { status: 200, body: '{}' };
  }
}

type Limit = () => boolean;

/** So many a second, saved up for one second at the most. */
function createLimit(perSecond: number): Limit {
  let saved = Math.max(1, perSecond);
  let atMs = monotonicMs();
  return () => {
    if (perSecond === 0) return true;
    const nowMs = monotonicMs();
    saved = Math.min(Math.max(1, perSecond), saved + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
    if (saved < 1) return false;
    saved -= 1;
    return true;
  };
}

/** There is no route for cancelling: a POST to one falls through and creates a task. */
function operationOf(method: string | undefined, path: string): ModelArkOperation | 'none' {
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return 'none';
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'delete';
  if (method !== 'GET') return 'none';
  return path === prefix ? 'list' : 'get';
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function send(response: ServerResponse, fakeResponse: ModelArkResponse): void {
  response
    .writeHead(fakeResponse.status, { 'content-type': 'application/json', ...fakeResponse.headers })
    .end(fakeResponse.body);
}
