/**
 * Replicate on 127.0.0.1: predictions of models, versions and deployments as the real one answers,
 * moved on by the test, with a switch for every way it can fail.
 */
import { nowMs } from '../../../server/clock.ts';
import {
  json,
  parsed,
  type RawAnswer,
  type ReceivedRequest,
  UpstreamDouble,
} from '../upstream-double.ts';
import { type DoublePrediction, type NewPrediction, newPrediction, viewOf } from './predictions.ts';
import { type CreateBody, type Input, refusalOf, words } from './rules.ts';
import { webhookSecret } from './webhooks.ts';

export type Operation = 'create' | 'get' | 'list' | 'cancel' | 'secret';

type Asked = ReceivedRequest<Operation>;

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
export class ReplicateDouble extends UpstreamDouble<Operation> {
  readonly apiKey = 'r8_test';
  readonly #options: DoubleOptions;
  readonly #predictions = new Map<string, DoublePrediction>();
  secret: string;

  private constructor(options: DoubleOptions) {
    super();
    this.#options = options;
    this.secret = options.secret ?? webhookSecret;
  }

  static async start(options: DoubleOptions = {}): Promise<ReplicateDouble> {
    return await new ReplicateDouble(options).listen();
  }

  get baseUrl(): string {
    return this.origin + prefix;
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

  protected operationOf(method: string, path: string): Operation | 'none' {
    const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '';
    const creates = /^\/(predictions|(models|deployments)\/[^/]+\/[^/]+\/predictions)$/;
    if (method === 'POST' && creates.test(rest)) return 'create';
    if (method === 'POST' && /^\/predictions\/[^/]+\/cancel$/.test(rest)) return 'cancel';
    if (method !== 'GET') return 'none';
    if (rest === '/predictions') return 'list';
    if (rest === '/webhooks/default/secret') return 'secret';
    return /^\/predictions\/[^/]+$/.test(rest) ? 'get' : 'none';
  }

  protected refusal({ operation, headers }: Asked): RawAnswer | null {
    if (headers.authorization !== `Bearer ${this.apiKey}`) return words['wrong key'];
    return operation === 'none' ? words['no such thing'] : null;
  }

  protected work(operation: Operation, { url, headers, body }: Asked): RawAnswer {
    return operation === 'create'
      ? this.#create(url.pathname, parsed<CreateBody>(body), headers)
      : this.#look(operation, url);
  }

  #create(path: string, body: CreateBody, headers: Asked['headers']): RawAnswer {
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

  #look(operation: Exclude<Operation, 'create'>, url: URL): RawAnswer {
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
