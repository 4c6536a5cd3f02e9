/**
 * What this process has done with requests, tasks, webhooks and credits, counted as it happens. The
 * number of series is bounded, whatever the labels are.
 */
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { Counter, Histogram, Registry } from 'prom-client';

/** Combinations of labels of one metric. */
const seriesMax = 200;

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const taskBuckets = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

type CreditMove = LedgerEntry['kind'];

export type Measurements = ReturnType<typeof createMeasurements>;

export function createMeasurements() {
  const registry = new Registry();
  const registers = [registry];
  const requestSeconds = new Histogram({
    name: 'vidgen_http_request_seconds',
    help: 'Response times of requests to this process, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const rateLimited = new Counter({
    name: 'vidgen_http_rate_limited_total',
    help: 'Requests to this process that were rejected by a rate limit (HTTP 429).',
    registers,
  });
  const taskSeconds = new Histogram({
    name: 'vidgen_task_seconds',
    help: 'Time from the create of a task to its end, by model, provider and status.',
    labelNames: ['model', 'provider', 'status'],
    buckets: taskBuckets,
    registers,
  });
  const queueSeconds = new Histogram({
    name: 'vidgen_task_queue_seconds',
    help: 'Time from create to the first start at a provider, of tasks that have ended, by model.',
    labelNames: ['model'],
    buckets: [0.1, 0.25, 0.5, ...taskBuckets],
    registers,
  });
  const webhookSeconds = new Histogram({
    name: 'vidgen_webhook_seconds',
    help: 'Duration of webhook requests, by outcome: delivered, a class of statuses, or an error.',
    labelNames: ['outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const webhooksExhausted = new Counter({
    name: 'vidgen_webhooks_exhausted_total',
    help: 'Webhook deliveries that failed after all retries.',
    registers,
  });
  const resultsUnsigned = new Counter({
    name: 'vidgen_results_unsigned_total',
    help: 'Files of results that this process stored without content credentials.',
    registers,
  });
  const credits = new Counter({
    name: 'vidgen_credits_total',
    help: 'Credits moved by this process, by kind of ledger entry and mode.',
    labelNames: ['kind', 'mode'],
    registers,
  });
  const boundTasks = createLabelBound();
  const boundModels = createLabelBound();
  const boundOutcomes = createLabelBound();
  return {
    registry,
    /** Methods, routes and statuses are the service's own, so their number is bounded. */
    countRequest({ method, route, status, ms }: EndedRequest): void {
      requestSeconds.observe({ method, route, status }, ms / 1000);
      if (status === 429) rateLimited.inc();
    },
    countTask(task: EndedTask, provider: string | null): void {
      const { model, status, mode, createdAt, submittedAt, finishedAt } = task;
      const seconds = secondsBetween(createdAt, finishedAt ?? createdAt);
      taskSeconds.observe(boundTasks({ model, provider: provider ?? 'none', status }), seconds);
      if (submittedAt) {
        queueSeconds.observe(boundModels({ model }), secondsBetween(createdAt, submittedAt));
      }
      const kind = creditMoves[task.billingStatus];
      if (kind) credits.inc({ kind, mode }, task.credits);
    },
    countWebhook(sent: SentWebhook): void {
      const outcome = outcomeOf(sent);
      webhookSeconds.observe(boundOutcomes({ outcome }), sent.durationMs / 1000);
    },
    countExhausted: () => webhooksExhausted.inc(),
    countUnsigned: () => resultsUnsigned.inc(),
    countCredits(kind: CreditMove, mode: string, amount: number): void {
      credits.inc({ kind, mode }, amount);
    },
  };
}

/** Further combinations of labels are counted together as `other`. */
function createLabelBound() {
  const known = new Set<string>();
  return <Labels extends Readonly<Record<string, string>>>(labels: Labels) => {
    const values = Object.values(labels).join('\0');
    if (known.size < seriesMax) known.add(values);
    if (known.has(values)) return labels;
    return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));
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
