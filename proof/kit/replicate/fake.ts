/**
 * Fake Replicate: predictions of models, versions and deployments as the real API responds. Tests
 * move predictions on and plan faults.
 */
import { nowMs } from '../../../server/process/clock.ts';
import {
  type FakeResponse,
  FakeUpstream,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { webhookSecret } from '../signed-webhook.ts';
import { type FakePrediction, type NewPrediction, newPrediction, viewOf } from './predictions.ts';
import { errorResponses, type Input, type ReplicateCreateBody } from './rules.ts';

export type ReplicateOperation = 'create' | 'get' | 'list' | 'cancel' | 'secret';

type ReplicateRequest = ReceivedRequest<ReplicateOperation>;

export type FakeReplicateOptions = {
  /** False: a list omits the webhook URLs that a single prediction has. */
  readonly listsWebhooks?: boolean;
  readonly pageSize?: number;
};

export const fakeModels = {
  'vidgen-2-5': 'bytedance/seedance-2.5',
  'vidgen-2-0': 'bytedance/seedance-2.0',
  'vidgen-2-0-fast': 'acme/seedance-fast:5c7d5dc6dd8bf75c',
  'vidgen-2-0-mini': 'deployments/acme/seedance-mini',
} as const;
const officialModels = ['bytedance/seedance-2.5', 'bytedance/seedance-2.0'];
const [versionedModel, knownVersion] = fakeModels['vidgen-2-0-fast'].split(':') as [string, string];
const knownDeployment = fakeModels['vidgen-2-0-mini'].slice('deployments/'.length);
const final = ['succeeded', 'failed', 'canceled', 'aborted'];
const prefix = '/v1';

export class FakeReplicate extends FakeUpstream<
  ReplicateOperation,
  FakePrediction,
  FakeReplicateOptions
> {
  readonly apiKey = 'r8_test';
  secret = webhookSecret;
  protected override readonly basePath = prefix;

  /** Adds a prediction that another client of the account started. */
  add(fields: NewPrediction): FakePrediction {
    const prediction = newPrediction(fields);
    this.items.set(prediction.id, prediction);
    return prediction;
  }

  advance(id: string, status: string, change: Partial<FakePrediction> = {}): void {
    const prediction = this.item(id);
    const hasRun = !['starting', 'aborted'].includes(status);
    if (hasRun && !(status === 'canceled' && prediction.status === 'starting')) {
      prediction.startedMs ??= nowMs();
    }
    prediction.status = status;
    if (final.includes(status)) prediction.completedMs = nowMs();
    if (status === 'processing') prediction.logs = 'Loading\n 42%|████      | 42/100 [00:33<00:45]';
    if (status === 'succeeded') prediction.output = this.results.videoUrl(id);
    if (status === 'failed') prediction.error = 'Prediction interrupted; please retry (code: PA)';
    Object.assign(prediction, change);
  }

  shown(id: string): Readonly<Record<string, unknown>> {
    return this.#view(this.item(id));
  }

  protected operationOf(method: string, path: string): ReplicateOperation | 'none' {
    const rest = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : '';
    const creates = /^\/(predictions|(models|deployments)\/[^/]+\/[^/]+\/predictions)$/;
    if (method === 'POST' && creates.test(rest)) return 'create';
    if (method === 'POST' && /^\/predictions\/[^/]+\/cancel$/.test(rest)) return 'cancel';
    if (method !== 'GET') return 'none';
    if (rest === '/predictions') return 'list';
    if (rest === '/webhooks/default/secret') return 'secret';
    return /^\/predictions\/[^/]+$/.test(rest) ? 'get' : 'none';
  }

  protected rejection({ operation, headers }: ReplicateRequest): FakeResponse | null {
    if (headers.authorization !== `Bearer ${this.apiKey}`) return errorResponses['wrong key'];
    return operation === 'none' ? errorResponses['no such thing'] : null;
  }

  protected work(
    operation: ReplicateOperation,
    { url, headers, body }: ReplicateRequest,
  ): FakeResponse {
    return operation === 'create'
      ? this.#create(url.pathname, parsed<ReplicateCreateBody>(body), headers)
      : this.#read(operation, url);
  }

  #create(
    path: string,
    body: ReplicateCreateBody,
    headers: ReplicateRequest['headers'],
  ): FakeResponse {
    const target = targetOf(path, body);
    if ('status' in target) return target;
    const prediction = this.add({
      ...target,
      input: body.input as Input,
      webhook: body.webhook ?? null,
      webhookEvents: body.webhook_events_filter ?? null,
      deadline: (headers['cancel-after'] as string | undefined) ?? null,
    });
    return json(201, this.#view(prediction));
  }

  #read(operation: Exclude<ReplicateOperation, 'create'>, url: URL): FakeResponse {
    if (operation === 'secret') return json(200, { key: this.secret });
    if (operation === 'list') return this.#list(url.searchParams.get('cursor'));
    const id = url.pathname.slice(`${prefix}/predictions/`.length).replace(/\/cancel$/, '');
    const prediction = this.items.get(decodeURIComponent(id));
    if (!prediction) return errorResponses['no such thing'];
    // Cancelling a finished prediction changes nothing.
    if (operation === 'cancel' && !final.includes(prediction.status)) {
      this.advance(prediction.id, 'canceled');
    }
    return json(200, this.#view(prediction));
  }

  #list(cursor: string | null): FakeResponse {
    const ordered = this.started().toSorted((one, other) => other.createdMs - one.createdMs);
    const { pageSize = 100, listsWebhooks } = this.options;
    const from = cursor === null ? 0 : ordered.findIndex(({ id }) => id === cursor);
    if (from < 0) return errorResponses['no such thing'];
    const results = ordered
      .slice(from, from + pageSize)
      .map((one) => this.#view(one, listsWebhooks));
    const next = ordered[from + pageSize]?.id;
    return json(200, {
      previous: null,
      next: next ? `${this.baseUrl}/predictions?cursor=${next}` : null,
      results,
    });
  }

  #view(prediction: FakePrediction, showWebhook = true) {
    return viewOf(prediction, { baseUrl: this.baseUrl, showWebhook });
  }
}

/** What a create runs, or the error for one that the account does not have. */
function targetOf(
  path: string,
  { version }: ReplicateCreateBody,
): { model: string; version?: string; deployment?: string } | FakeResponse {
  const [, kind, owner, name] = /^\/v1\/(models|deployments)\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  const target = `${owner}/${name}`;
  if (kind === 'models' && officialModels.includes(target)) return { model: target };
  if (kind === 'deployments' && target === knownDeployment) {
    return { model: target, deployment: target };
  }
  if (kind !== undefined) return errorResponses['no such thing'];
  const isKnown = [knownVersion, `${versionedModel}:${knownVersion}`].includes(String(version));
  return isKnown
    ? { model: versionedModel, version: knownVersion }
    : errorResponses['no such version'];
}
