/**
 * What this process has done with requests, tasks, webhooks and credits, counted as it happens, in
 * the text format of Prometheus. The number of series is bounded, whatever the labels are.
 */
type Labels = readonly string[];

/** Of one metric. Further combinations of labels are counted together as `other`. */
const seriesMax = 200;
/** Routes and statuses are the service's own: this is more than there can be. */
const requestSeriesMax = 5000;

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const taskBuckets = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];
const webhookBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export type CreditMove =
  | 'grant'
  | 'deduct'
  | 'reserve'
  | 'charge'
  | 'refund'
  | 'suspend'
  | 'release';

export type Measurements = ReturnType<typeof createMeasurements>;

export function createMeasurements() {
  const requestSeconds = new Histogram({
    name: 'vidgen_http_request_seconds',
    help: 'Response times of requests to this process, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    seriesMax: requestSeriesMax,
  });
  const rateLimited = new Counter({
    name: 'vidgen_http_rate_limited_total',
    help: 'Requests to this process that were rejected by a rate limit (HTTP 429).',
    labelNames: [],
  });
  rateLimited.add([], 0);
  const taskSeconds = new Histogram({
    name: 'vidgen_task_seconds',
    help: 'Time from the create of a task to its end, by model, provider and status.',
    labelNames: ['model', 'provider', 'status'],
    buckets: taskBuckets,
  });
  const queueSeconds = new Histogram({
    name: 'vidgen_task_queue_seconds',
    help: 'Time from create to the first start at a provider, of tasks that have ended, by model.',
    labelNames: ['model'],
    buckets: [0.1, 0.25, 0.5, ...taskBuckets],
  });
  const webhookSeconds = new Histogram({
    name: 'vidgen_webhook_seconds',
    help: 'Duration of webhook requests, by outcome: delivered, a class of statuses, or an error.',
    labelNames: ['outcome'],
    buckets: webhookBuckets,
  });
  const webhooksExhausted = new Counter({
    name: 'vidgen_webhooks_exhausted_total',
    help: 'Webhook deliveries that failed after all retries.',
    labelNames: [],
  });
  const credits = new Counter({
    name: 'vidgen_credits_total',
    help: 'Credits moved by this process, by kind of ledger entry and mode.',
    labelNames: ['kind', 'mode'],
  });
  const metrics = [
    ...[requestSeconds, rateLimited, taskSeconds, queueSeconds],
    ...[webhookSeconds, webhooksExhausted, credits],
  ];
  return {
    countRequest({ method, route, status, ms }: EndedRequest): void {
      requestSeconds.observe([method, route, String(status)], ms / 1000);
      if (status === 429) rateLimited.add([], 1);
    },
    countTask(task: EndedTask, provider: string | null): void {
      const { model, status, mode, createdAt, submittedAt, finishedAt } = task;
      const seconds = secondsBetween(createdAt, finishedAt ?? createdAt);
      taskSeconds.observe([model, provider ?? 'none', status], seconds);
      if (submittedAt) queueSeconds.observe([model], secondsBetween(createdAt, submittedAt));
      const kind = creditMoves[task.billingStatus];
      if (kind) credits.add([kind, mode], task.credits);
    },
    countWebhook(sent: SentWebhook): void {
      webhookSeconds.observe([outcomeOf(sent)], sent.durationMs / 1000);
    },
    countExhausted: () => webhooksExhausted.add([], 1),
    countCredits(kind: CreditMove, mode: string, amount: number): void {
      credits.add([kind, mode], amount);
    },
    text: (): string => metrics.map((metric) => metric.text()).join(''),
  };
}

type EndedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
};

type EndedTask = {
  readonly model: string;
  readonly status: string;
  readonly mode: string;
  readonly billingStatus: string;
  readonly credits: number;
  readonly createdAt: Date;
  readonly submittedAt: Date | null;
  readonly finishedAt: Date | null;
};

const creditMoves: Readonly<Record<string, CreditMove>> = {
  charged: 'charge',
  refunded: 'refund',
  refund_failed: 'suspend',
};

type SentWebhook = {
  readonly delivered: boolean;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
};

function outcomeOf({ delivered, responseStatus, error }: SentWebhook): string {
  if (delivered) return 'delivered';
  return error ?? `${Math.floor((responseStatus ?? 0) / 100)}xx`;
}

const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, (to.getTime() - from.getTime()) / 1000);

type MetricOptions = {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly seriesMax?: number;
};

abstract class Metric<Series> {
  readonly #options: MetricOptions;
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>();

  constructor(options: MetricOptions) {
    this.#options = options;
  }

  protected abstract readonly type: string;
  protected abstract create(): Series;
  protected abstract lines(series: Series): readonly (readonly [suffix: string, value: number])[];

  protected find(labels: Labels): Series {
    const key = labels.join('\0');
    const known = this.#series.get(key);
    if (known) return known.series;
    const isFull = this.#series.size >= (this.#options.seriesMax ?? seriesMax);
    const others = labels.map(() => 'other');
    if (isFull && key !== others.join('\0')) return this.find(others);
    const series = this.create();
    this.#series.set(key, { labels, series });
    return series;
  }

  text(): string {
    const { name, help, labelNames } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.type}`];
    for (const { labels, series } of this.#series.values()) {
      const given = labels.map((value, at) => `${labelNames[at]}="${escapeLabel(value)}"`);
      for (const [suffix, value] of this.lines(series)) {
        const [part = '', own] = suffix.split(' ');
        const all = own ? [...given, own] : given;
        lines.push(`${name}${part}${all.length > 0 ? `{${all.join()}}` : ''} ${value}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }
}

const escapeLabel = (value: string): string =>
  value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');

class Counter extends Metric<{ total: number }> {
  protected readonly type = 'counter';
  protected create = () => ({ total: 0 });
  protected lines = ({ total }: { total: number }) => [['', total]] as const;

  add(labels: Labels, amount: number): void {
    this.find(labels).total += amount;
  }
}

/** `counts` has the values in each bucket alone, and those above the last one. */
type Distribution = { readonly counts: number[]; sum: number };

class Histogram extends Metric<Distribution> {
  protected readonly type = 'histogram';
  readonly #buckets: readonly number[];

  constructor({ buckets, ...options }: MetricOptions & { readonly buckets: readonly number[] }) {
    super(options);
    this.#buckets = buckets;
  }

  protected create = (): Distribution => ({
    counts: Array.from({ length: this.#buckets.length + 1 }, () => 0),
    sum: 0,
  });

  protected lines({ counts, sum }: Distribution) {
    let count = 0;
    const cumulative = counts.map((own) => {
      count += own;
      return count;
    });
    return [
      ...this.#buckets.map((bucket, at) => [`_bucket le="${bucket}"`, cumulative[at]!] as const),
      ['_bucket le="+Inf"', count] as const,
      ['_sum', sum] as const,
      ['_count', count] as const,
    ];
  }

  observe(labels: Labels, value: number): void {
    const series = this.find(labels);
    let at = 0;
    while (at < this.#buckets.length && value > this.#buckets[at]!) at += 1;
    series.counts[at]! += 1;
    series.sum += value;
  }
}
