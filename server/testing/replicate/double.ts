/**
 * Replicate on 127.0.0.1: predictions of models, versions and deployments as the real one answers,
 * moved on by the test, with a switch for every way it can fail.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from '../../clock.ts';
import { closeServer } from '../result-server.ts';
import { type DoublePrediction, type NewPrediction, newPrediction, viewOf } from './predictions.ts';
import { type CreateBody, type Input, json, type RawAnswer, refusalOf, words } from './rules.ts';
import { webhookSecret } from './webhooks.ts';

export type Operation = 'create' | 'get' | 'list' | 'cancel' | 'secret';

/** Whether the request takes effect, and what the caller gets to see of it. */
export type Fault = {
  readonly work: 'done' | 'not-done';
  readonly answer: 'lose' | 'hang' | RawAnswer;
};

export type ReceivedRequest = {
  readonly operation: Operation | 'none';
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
};

export type DoubleOptions = {
  /** Each look at a prediction moves it on. */
  readonly automatic?: boolean;
  /** Where finished videos are: public addresses that live for an hour. */
  readonly outputUrl?: (id: string) => string;
  /** Whether predictions show the callback address again, and whether lists do. */
  readonly showsWebhook?: { readonly alone: boolean; readonly listed: boolean };
  readonly secret?: string;
  readonly pageSize?: number;
};

export const doubleModels = {
  'vidgen-2-5': 'bytedance/seedance-2.5',
  'vidgen-2-0': 'bytedance/seedance-2.0',
  'vidgen-2-0-fast': 'acme/seedance-fast:5c7d5dc6dd8bf75c',
  'vidgen-2-0-mini': 'deployments/acme/seedance-mini',
} as const;
const officialModels = ['bytedance/seedance-2.5', 'bytedance/seedance-2.0'];
const final = ['succeeded', 'failed', 'canceled', 'aborted'];
const prefix = '/v1';

/** A held resource: a listening server and its state. */
export class ReplicateDouble implements AsyncDisposable {
  readonly apiKey = 'r8_test';
  readonly requests: ReceivedRequest[] = [];
  readonly #options: DoubleOptions;
  readonly #predictions = new Map<string, DoublePrediction>();
  readonly #faults: Record<Operation, Fault[]> = {
    ...{ create: [], get: [], list: [], cancel: [], secret: [] },
  };
  // A caller that dies in the middle of its request has not asked for anything.
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy());
  });
  secret: string;

  private constructor(options: DoubleOptions) {
    this.#options = options;
    this.secret = options.secret ?? webhookSecret;
  }

  static async start(options: DoubleOptions = {}): Promise<ReplicateDouble> {
    const double = new ReplicateDouble(options);
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${prefix}`;
  }

  /** The next request of that kind meets this fault; several are met in turn. */
  next(operation: Operation, ...faults: readonly Fault[]): void {
    this.#faults[operation].push(...faults);
  }

  predictions(): readonly DoublePrediction[] {
    return [...this.#predictions.values()];
  }

  prediction(id: string): DoublePrediction {
    const prediction = this.#predictions.get(id);
    if (!prediction) throw new Error(`the double has no prediction ${id}`);
    return prediction;
  }

  /** One that somebody else of the account started. */
  add(given: NewPrediction): DoublePrediction {
    const prediction = newPrediction(given);
    this.#predictions.set(prediction.id, prediction);
    return prediction;
  }

  /** Moves a prediction to a status, known or not. */
  advance(id: string, status: string, change: Partial<DoublePrediction> = {}): void {
    const prediction = this.prediction(id);
    const hasRun = !['starting', 'aborted'].includes(status);
    if (hasRun && !(status === 'canceled' && prediction.status === 'starting')) {
      prediction.startedMs ??= nowMs();
    }
    prediction.status = status;
    if (final.includes(status)) prediction.completedMs = nowMs();
    if (status === 'processing') prediction.logs = 'Loading\n 42%|████      | 42/100 [00:33<00:45]';
    if (status === 'succeeded') prediction.output = this.#outputUrl(id);
    if (status === 'failed') prediction.error = 'Prediction interrupted; please retry (code: PA)';
    Object.assign(prediction, change);
  }

  /** As it is shown, and as a call about it carries it. */
  shown(id: string): Readonly<Record<string, unknown>> {
    return this.#view(this.prediction(id), 'alone');
  }

  vanish(id: string): void {
    this.#predictions.delete(id);
  }

  /** Also a way to become unreachable: its records can still be looked at. */
  close(): Promise<void> {
    return closeServer(this.#server);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await readBody(request);
    const method = request.method ?? 'GET';
    const operation = operationOf(method, url.pathname);
    this.requests.push({ operation, method, path: request.url ?? '/', headers: request.headers });
    if (request.headers.authorization !== `Bearer ${this.apiKey}`) {
      return send(response, words['wrong key']);
    }
    if (operation === 'none') return send(response, words['no such thing']);
    const work = (): RawAnswer =>
      operation === 'create'
        ? this.#create(url.pathname, body, request.headers)
        : this.#work(operation, url);
    const fault = this.#faults[operation].shift();
    if (!fault) return send(response, work());
    if (fault.work === 'done') work();
    if (fault.answer === 'lose') request.socket.destroy();
    else if (fault.answer !== 'hang') send(response, fault.answer);
  }

  #create(path: string, body: CreateBody, headers: IncomingMessage['headers']): RawAnswer {
    const place = placeOf(path, body);
    if (!place) return words['no such thing'];
    const refusal = refusalOf(body, headers);
    if (refusal) return refusal;
    const prediction = this.add({
      ...place,
      input: body.input as Input,
      webhook: (body.webhook as string | undefined) ?? null,
      webhookEvents: (body.webhook_events_filter as string[] | undefined) ?? null,
      deadline: (headers['cancel-after'] as string | undefined) ?? null,
    });
    return json(201, this.#view(prediction, 'alone'));
  }

  #work(operation: Exclude<Operation, 'create'>, url: URL): RawAnswer {
    if (operation === 'secret') return json(200, { key: this.secret });
    if (operation === 'list') return this.#list(url.searchParams.get('cursor'));
    const id = url.pathname.slice(`${prefix}/predictions/`.length).replace(/\/cancel$/, '');
    const prediction = this.#predictions.get(decodeURIComponent(id));
    if (!prediction) return words['no such thing'];
    // Cancelling a finished one changes nothing.
    if (operation === 'cancel' && !final.includes(prediction.status)) {
      this.advance(prediction.id, 'canceled');
    }
    const answer = json(200, this.#view(prediction, 'alone'));
    if (operation === 'get' && this.#options.automatic) this.#moveOn(prediction);
    return answer;
  }

  #moveOn({ id, status }: DoublePrediction): void {
    if (status === 'starting') this.advance(id, 'processing');
    else if (status === 'processing') this.advance(id, 'succeeded');
  }

  #list(cursor: string | null): RawAnswer {
    const ordered = this.predictions().toSorted((one, other) => other.createdMs - one.createdMs);
    const { pageSize = 100 } = this.#options;
    const from = cursor === null ? 0 : ordered.findIndex(({ id }) => id === cursor);
    if (from < 0) return words['no such thing'];
    const results = ordered.slice(from, from + pageSize).map((one) => this.#view(one, 'listed'));
    const next = ordered[from + pageSize]?.id;
    return json(200, {
      previous: null,
      next: next ? `${this.baseUrl}/predictions?cursor=${next}` : null,
      results,
    });
  }

  #view(prediction: DoublePrediction, place: 'alone' | 'listed') {
    const { showsWebhook = { alone: true, listed: true } } = this.#options;
    return viewOf(prediction, { baseUrl: this.baseUrl, showWebhook: showsWebhook[place] });
  }

  #outputUrl(id: string): string {
    return this.#options.outputUrl?.(id) ?? `https://replicate.delivery/czjl/${id}/out.mp4`;
  }
}

/** Which model a create is for; undefined: no such model. */
function placeOf(path: string, { version }: CreateBody) {
  const [, kind, owner, name] = /^\/v1\/(models|deployments)\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  const model = `${owner}/${name}`;
  if (kind === 'models') return officialModels.includes(model) ? { model } : undefined;
  if (kind === 'deployments') return { model, deployment: model, version: 'hidden' };
  return typeof version === 'string' ? { model: 'acme/seedance-fast', version } : undefined;
}

function operationOf(method: string, path: string): Operation | 'none' {
  const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '';
  const creates = /^\/(predictions|(models|deployments)\/[^/]+\/[^/]+\/predictions)$/;
  if (method === 'POST' && creates.test(rest)) return 'create';
  if (method === 'POST' && /^\/predictions\/[^/]+\/cancel$/.test(rest)) return 'cancel';
  if (method !== 'GET') return 'none';
  if (rest === '/predictions') return 'list';
  if (rest === '/webhooks/default/secret') return 'secret';
  return /^\/predictions\/[^/]+$/.test(rest) ? 'get' : 'none';
}

async function readBody(request: IncomingMessage): Promise<CreateBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as CreateBody;
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status, body, headers }: RawAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
