/**
 * fal's queue on 127.0.0.1, with its set of keys: requests as the real one answers, moved on by the
 * test, with a switch for every way it can fail.
 */
import { randomUUID } from 'node:crypto';
import {
  json,
  parsed,
  type RawAnswer,
  type ReceivedRequest,
  UpstreamDouble,
} from '../upstream-double.ts';
import { endpointOf, type Input, type Mode, refusalOf, words } from './rules.ts';
import { doubleKey, jwkOf } from './webhooks.ts';

export type Operation = 'submit' | 'status' | 'result' | 'cancel' | 'keys';

type Asked = ReceivedRequest<Operation>;

export type DoubleRequest = {
  readonly id: string;
  readonly app: string;
  readonly mode: Mode;
  readonly input: Input;
  readonly webhook: string | null;
  readonly headers: Asked['headers'];
  status: string;
  /** What a look at the result is answered with, once it is completed. */
  result: RawAnswer;
};

export type DoubleOptions = {
  /** Each look at a status moves the request on. */
  readonly automatic?: boolean;
  /** Where finished videos are: public addresses. */
  readonly outputUrl?: (id: string) => string;
  /** What the addresses in an answer begin with, where it is not the double's own. */
  readonly named?: string;
  /** Newer apps have their results there. */
  readonly responseEnding?: '/response';
};

export const doubleModels = {
  'vidgen-2-5': 'bytedance/seedance-2.5',
  'vidgen-2-0': 'bytedance/seedance-2.0',
  'vidgen-2-0-fast': 'bytedance/seedance-2.0/fast',
} as const;

/** A held resource: a listening server and its state. */
export class FalDouble extends UpstreamDouble<Operation> {
  readonly apiKey = 'key-id:key-secret';
  keys: object[] = [jwkOf(doubleKey)];
  readonly #options: DoubleOptions;
  readonly #queue = new Map<string, DoubleRequest>();

  private constructor(options: DoubleOptions) {
    super();
    this.#options = options;
  }

  static async start(options: DoubleOptions = {}): Promise<FalDouble> {
    return await new FalDouble(options).listen();
  }

  get baseUrl(): string {
    return this.origin;
  }

  get keySetUrl(): string {
    return `${this.baseUrl}/.well-known/jwks.json`;
  }

  queued(): readonly DoubleRequest[] {
    return [...this.#queue.values()];
  }

  request(id: string): DoubleRequest {
    const request = this.#queue.get(id);
    if (!request) throw new Error(`the double has no request ${id}`);
    return request;
  }

  /** Moves a request to a status, known or not. */
  advance(id: string, status: string): void {
    this.request(id).status = status;
  }

  /** Ends it: there is no state for a failure, only what its result says. */
  complete(id: string, result?: RawAnswer): void {
    const request = this.request(id);
    request.status = 'COMPLETED';
    if (result) request.result = result;
  }

  vanish(id: string): void {
    this.#queue.delete(id);
  }

  protected operationOf(method: string, path: string): Operation | 'none' {
    if (method === 'GET' && path === '/.well-known/jwks.json') return 'keys';
    const [, request, ending = ''] = /^\/.+(\/requests\/[^/]+)(\/\w+)?$/.exec(path) ?? [];
    if (!request) return method === 'POST' ? 'submit' : 'none';
    if (method === 'PUT') return ending === '/cancel' ? 'cancel' : 'none';
    if (method !== 'GET') return 'none';
    if (ending === '/status') return 'status';
    return ['', '/response'].includes(ending) ? 'result' : 'none';
  }

  protected refusal({ operation, headers }: Asked): RawAnswer | null {
    if (operation !== 'keys' && headers.authorization !== `Key ${this.apiKey}`) {
      return words['wrong key'];
    }
    return operation === 'none' ? words['no such app'] : null;
  }

  protected work(operation: Operation, { url, headers, body }: Asked): RawAnswer {
    return operation === 'submit'
      ? this.#submit(url, parsed<Input>(body), headers)
      : this.#look(operation, url.pathname);
  }

  #submit(url: URL, input: Input, headers: Asked['headers']): RawAnswer {
    const endpoint = endpointOf(url.pathname);
    if (!endpoint) return words['no such app'];
    const refusal = refusalOf(input, endpoint);
    if (refusal) return refusal;
    const id = randomUUID();
    const videoUrl = this.#options.outputUrl?.(id) ?? `https://v3.fal.media/files/${id}/out.mp4`;
    const video = { url: videoUrl, content_type: 'video/mp4', file_name: 'out.mp4', file_size: 9 };
    const request: DoubleRequest = {
      ...{ id, ...endpoint, input, headers, status: 'IN_QUEUE' },
      webhook: url.searchParams.get('fal_webhook'),
      result: json(200, { video, seed: 42 }, { 'x-fal-request-id': id }),
    };
    this.#queue.set(id, request);
    const { named = this.baseUrl, responseEnding = '' } = this.#options;
    const base = `${named}/${endpoint.app}/requests/${id}`;
    return json(200, {
      ...{ status: 'IN_QUEUE', request_id: id, queue_position: 0 },
      response_url: base + responseEnding,
      status_url: `${base}/status`,
      cancel_url: `${base}/cancel`,
    });
  }

  #look(operation: Exclude<Operation, 'submit'>, path: string): RawAnswer {
    if (operation === 'keys') return json(200, { keys: this.keys });
    const [, app, id] = /^\/(.+)\/requests\/([^/]+)/.exec(path)!;
    const request = this.#queue.get(id!);
    if (!request || request.app !== app) {
      return operation === 'cancel' ? json(404, { status: 'NOT_FOUND' }) : words['no such request'];
    }
    if (operation === 'cancel') return this.#cancel(request);
    if (operation === 'status') return this.#status(request);
    return request.status === 'COMPLETED' ? request.result : words['still in progress'];
  }

  #status(request: DoubleRequest): RawAnswer {
    const { id, status } = request;
    const shown = {
      ...{ status, request_id: id, response_url: `${this.baseUrl}/${request.app}/requests/${id}` },
      ...(status === 'IN_QUEUE' ? { queue_position: 0 } : { logs: null }),
      ...(status === 'COMPLETED' ? { metrics: { inference_time: 81.3 } } : {}),
    };
    if (this.#options.automatic) {
      request.status = status === 'IN_QUEUE' ? 'IN_PROGRESS' : 'COMPLETED';
    }
    return json(status === 'COMPLETED' ? 200 : 202, shown);
  }

  /** What waits is removed; what runs is only told. */
  #cancel(request: DoubleRequest): RawAnswer {
    if (request.status === 'COMPLETED') return json(400, { status: 'ALREADY_COMPLETED' });
    if (request.status !== 'IN_QUEUE') return json(202, { status: 'CANCELLATION_REQUESTED' });
    this.#queue.delete(request.id);
    return json(200, { status: 'OK' });
  }
}
