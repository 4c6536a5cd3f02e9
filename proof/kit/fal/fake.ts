/**
 * Fake fal: the queue and the published key set, as the real API responds. Tests move requests on
 * and plan faults.
 */
import { randomUUID } from 'node:crypto';
import {
  type FakeResponse,
  FakeUpstream,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { appOf, errorResponses, type FalInput } from './rules.ts';
import { fakeKey, jwkOf } from './webhooks.ts';

export type FalOperation = 'submit' | 'status' | 'result' | 'cancel' | 'keys';

type FalRequest = ReceivedRequest<FalOperation>;

export type FakeFalRequest = {
  readonly id: string;
  readonly app: string;
  readonly input: FalInput;
  readonly webhook: string | null;
  readonly headers: FalRequest['headers'];
  status: string;
  /** The response of the result endpoint once the request is completed. */
  result: FakeResponse;
};

export const fakeModels = {
  'vidgen-2-5': 'bytedance/seedance-2.5',
  'vidgen-2-0': 'bytedance/seedance-2.0',
  'vidgen-2-0-fast': 'bytedance/seedance-2.0/fast',
} as const;

export class FakeFal extends FakeUpstream<FalOperation, FakeFalRequest> {
  readonly apiKey = 'key-id:key-secret';
  keys: object[] = [jwkOf(fakeKey)];

  get keySetUrl(): string {
    return `${this.baseUrl}/.well-known/jwks.json`;
  }

  advance(id: string, status: string): void {
    this.item(id).status = status;
  }

  /** Completes a request. fal has no failed status: a failure is the response of the result. */
  complete(id: string, result?: FakeResponse): void {
    const request = this.item(id);
    request.status = 'COMPLETED';
    if (result) request.result = result;
  }

  protected operationOf(method: string, path: string): FalOperation | 'none' {
    if (method === 'GET' && path === '/.well-known/jwks.json') return 'keys';
    const [, request, ending = ''] = /^\/.+(\/requests\/[^/]+)(\/\w+)?$/.exec(path) ?? [];
    if (!request) return method === 'POST' ? 'submit' : 'none';
    if (method === 'PUT') return ending === '/cancel' ? 'cancel' : 'none';
    if (method !== 'GET') return 'none';
    if (ending === '/status') return 'status';
    return ['', '/response'].includes(ending) ? 'result' : 'none';
  }

  protected rejection({ operation, headers }: FalRequest): FakeResponse | null {
    if (operation !== 'keys' && headers.authorization !== `Key ${this.apiKey}`) {
      return errorResponses['wrong key'];
    }
    return operation === 'none' ? errorResponses['no such app'] : null;
  }

  protected work(operation: FalOperation, { url, headers, body }: FalRequest): FakeResponse {
    return operation === 'submit'
      ? this.#submit(url, parsed<FalInput>(body), headers)
      : this.#read(operation, url);
  }

  #submit(url: URL, input: FalInput, headers: FalRequest['headers']): FakeResponse {
    const app = appOf(url.pathname);
    if (!app) return errorResponses['no such app'];
    const id = randomUUID();
    const file = { content_type: 'video/mp4', file_name: 'out.mp4', file_size: 9 };
    const video = { url: this.results.videoUrl(id), ...file };
    const request: FakeFalRequest = {
      id,
      app,
      input,
      headers,
      status: 'IN_QUEUE',
      webhook: url.searchParams.get('fal_webhook'),
      result: json(200, { video, seed: 42 }, { 'x-fal-request-id': id }),
    };
    this.items.set(id, request);
    const base = `${this.baseUrl}/${app}/requests/${id}`;
    return json(200, {
      status: 'IN_QUEUE',
      request_id: id,
      queue_position: 0,
      response_url: base,
      status_url: `${base}/status`,
      cancel_url: `${base}/cancel`,
    });
  }

  #read(operation: Exclude<FalOperation, 'submit'>, url: URL): FakeResponse {
    if (operation === 'keys') return json(200, { keys: this.keys });
    const [, app, id] = /^\/(.+)\/requests\/([^/]+)/.exec(url.pathname)!;
    const request = this.items.get(id!);
    if (!request || request.app !== app) {
      return operation === 'cancel'
        ? json(404, { status: 'NOT_FOUND' })
        : errorResponses['no such request'];
    }
    if (operation === 'cancel') return this.#cancel(request);
    if (operation === 'status') return this.#status(request);
    return request.status === 'COMPLETED' ? request.result : errorResponses['still in progress'];
  }

  #status({ id, app, status }: FakeFalRequest): FakeResponse {
    const url = `${this.baseUrl}/${app}/requests/${id}`;
    const shown = {
      status,
      request_id: id,
      response_url: url,
      status_url: `${url}/status`,
      cancel_url: `${url}/cancel`,
      ...(status === 'IN_QUEUE' ? { queue_position: 0 } : { logs: null }),
    };
    return json(status === 'COMPLETED' ? 200 : 202, shown);
  }

  /** Removes a queued request; a running one is only notified. */
  #cancel(request: FakeFalRequest): FakeResponse {
    if (request.status === 'COMPLETED') return json(400, { status: 'ALREADY_COMPLETED' });
    if (request.status !== 'IN_QUEUE') return json(202, { status: 'CANCELLATION_REQUESTED' });
    this.items.delete(request.id);
    return json(200, { status: 'OK' });
  }
}
