/**
 * Fake ModelArk: create, get, list and delete as the real API responds. Tests move tasks on and
 * plan faults. It counts generations per client request ID, which proves that nothing started
 * twice.
 */
import { monotonicMs, unixSeconds } from '../../../server/process/clock.ts';
import {
  type FakeResponse,
  FakeUpstream,
  type Fault,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { type DocumentedCode, documentedError } from './errors.ts';
import type { ModelArkCreateBody } from './rules.ts';
import { type FakeTask, newTask, viewOf } from './tasks.ts';

export const fakeModels = {
  'vidgen-2-5': 'dreamina-seedance-2-5-260628',
  'vidgen-2-0': 'dreamina-seedance-2-0-260128',
  'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
  'vidgen-2-0-mini': 'dreamina-seedance-2-0-mini-260615',
} as const;
const models: readonly string[] = Object.values(fakeModels);

export type ModelArkOperation = 'create' | 'get' | 'list' | 'delete';

export type FakeModelArkOptions = {
  readonly apiKey?: string;
  /** 0 for no limit; the real API allows 1. */
  readonly listPerSecond?: number;
  /** Unlimited by default; the real API allows 20. */
  readonly getPerSecond?: number;
  /** A list with more ids gets 414, as from a gateway that limits the length of a URL. */
  readonly listIdsMax?: number;
  readonly listOrder?: 'newest-first' | 'oldest-first';
  /** Called for every request without a planned fault: a schedule or random faults. */
  readonly fault?: (operation: ModelArkOperation) => Fault | undefined;
};

const prefix = '/api/v3/contents/generations/tasks';
const callbackMsMax = 2_000;

export class FakeModelArk extends FakeUpstream<ModelArkOperation, FakeTask, FakeModelArkOptions> {
  readonly apiKey = this.options.apiKey ?? 'ark-test-key';
  protected override readonly basePath = '/api/v3';
  readonly #generations = new Map<string, number>();
  readonly #callbacks = new Set<Promise<unknown>>();
  readonly #limits: Partial<Record<ModelArkOperation, Limit>> = {
    list: createLimit(this.options.listPerSecond ?? 1),
    get: createLimit(this.options.getPerSecond ?? 0),
  };
  #limited = 0;

  /** How many generations were really started with this `x-client-request-id`. */
  generations(clientRequestId: string): number {
    return this.#generations.get(clientRequestId) ?? 0;
  }

  get limited(): number {
    return this.#limited;
  }

  /** Adds a task that another client of the account created. */
  add(task: FakeTask): void {
    this.items.set(task.id, task);
  }

  /** Moves a task to a status, known or not, and sends its callback. */
  advance(
    id: string,
    status: string,
    end: { readonly code?: DocumentedCode; readonly video?: boolean } = {},
  ): void {
    const task = this.item(id);
    task.status = status;
    task.updatedSeconds = unixSeconds();
    task.video = end.video ?? true;
    if (status === 'failed') {
      const code = end.code ?? 'InternalServiceError';
      task.error = JSON.parse(documentedError(code).body).error;
    }
    // ModelArk sends no callback for a cancelled task.
    if (status !== 'cancelled') this.sendCallback(id);
  }

  /** Sends the callback of the task as it is now, also as a duplicate. */
  sendCallback(id: string): void {
    const task = this.item(id);
    const url = task.body.callback_url;
    // To this machine only, and unsigned.
    if (!url || !['127.0.0.1', '[::1]'].includes(new URL(url).hostname)) return;
    const sent = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(viewOf(task, this.results)),
      signal: AbortSignal.timeout(callbackMsMax),
    }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
    this.#callbacks.add(sent);
    void sent.finally(() => this.#callbacks.delete(sent));
  }

  override async close(): Promise<void> {
    await super.close();
    await Promise.allSettled(this.#callbacks);
  }

  protected override unplannedFault(operation: ModelArkOperation): Fault | undefined {
    return this.options.fault?.(operation);
  }

  /** There is no route for cancelling: a POST to one falls through and creates a task. */
  protected operationOf(method: string, path: string): ModelArkOperation | 'none' {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return 'none';
    if (method === 'POST') return 'create';
    if (method === 'DELETE') return 'delete';
    if (method !== 'GET') return 'none';
    return path === prefix ? 'list' : 'get';
  }

  protected rejection({ operation, headers }: ReceivedRequest<ModelArkOperation>) {
    if (headers.authorization !== `Bearer ${this.apiKey}`) {
      return documentedError('AuthenticationError');
    }
    return operation === 'none' ? { status: 404, body: '404 page not found' } : null;
  }

  protected work(
    operation: ModelArkOperation,
    { url, body, headers }: ReceivedRequest<ModelArkOperation>,
  ): FakeResponse {
    if (this.#limits[operation]?.() === false) {
      this.#limited += 1;
      return documentedError('AccountRateLimitExceeded');
    }
    if (operation === 'create') {
      const created = parsed(body) as ModelArkCreateBody;
      const id = headers['x-client-request-id'] ?? '';
      return this.#create(created, String(id));
    }
    if (operation === 'list') return this.#list(url.searchParams);
    const task = this.items.get(url.pathname.slice(prefix.length + 1));
    if (!task) return documentedError('NotFound.id');
    return operation === 'get' ? this.#get(task) : this.#delete(task);
  }

  #create(body: ModelArkCreateBody, clientRequestId: string): FakeResponse {
    if (!models.includes(body.model)) return documentedError('InvalidEndpointOrModel.NotFound');
    if (!body.content) return documentedError('MissingParameter');
    const task = newTask(body, unixSeconds(), clientRequestId);
    this.items.set(task.id, task);
    this.#generations.set(clientRequestId, this.generations(clientRequestId) + 1);
    this.sendCallback(task.id);
    return json(200, { id: task.id });
  }

  #get(task: FakeTask): FakeResponse {
    return json(200, viewOf(task, this.results));
  }

  #list(query: URLSearchParams): FakeResponse {
    const pageNumber = Number(query.get('page_num') ?? 1);
    const pageSize = Number(query.get('page_size') ?? 20);
    if (!(pageNumber >= 1 && pageNumber <= 500 && pageSize >= 1 && pageSize <= 500)) {
      return documentedError('InvalidParameter', { message: 'page_num or page_size is not valid' });
    }
    const [status, model, ids] = ['filter.status', 'filter.model', 'filter.task_ids'].map((name) =>
      query.getAll(name),
    ) as [string[], string[], string[]];
    if (ids.length > (this.options.listIdsMax ?? Number.POSITIVE_INFINITY)) {
      return { status: 414, body: '<html><h1>414 Request-URI Too Large</h1></html>' };
    }
    const requestedIds = new Set(ids);
    const oldestFirst = this.started()
      .filter(
        (task) =>
          (status.length === 0 || status.includes(task.status)) &&
          (model.length === 0 || model.includes(task.body.model)) &&
          (requestedIds.size === 0 || requestedIds.has(task.id)),
      )
      .toSorted((one, other) => one.createdSeconds - other.createdSeconds);
    const order = this.options.listOrder ?? 'newest-first';
    const tasks = order === 'newest-first' ? oldestFirst.reverse() : oldestFirst;
    const page = tasks.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    const items = page.map((task) => viewOf(task, this.results));
    return json(200, { total: tasks.length, items });
  }

  #delete(task: FakeTask): FakeResponse {
    if (task.status === 'running') return documentedError('InvalidAction.RunningTaskDeletion');
    if (task.status === 'cancelled') return documentedError('InvalidParameter');
    if (task.status === 'queued') this.advance(task.id, 'cancelled');
    else this.vanish(task.id);
    return { status: 200, body: '{}' };
  }
}

type Limit = () => boolean;

/** A token bucket: `perSecond` requests, saved up for at most one second; 0 is unlimited. */
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
