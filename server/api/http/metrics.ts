/**
 * The Prometheus metrics. Counts of tasks and deliveries are kept by the transactions that change
 * them, jobs are counted at most every few seconds, and requests to this process and what it does
 * with tasks as they happen: a scrape reads no table that grows.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Queryable } from '../../database/database.ts';
import { listTableSizes, type TableSize } from '../../database/table-sizes.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { countMessages } from '../../messages/outbox.ts';
import { monotonicMs } from '../../process/clock.ts';
import { listBacklog } from '../../queue/backlog.ts';
import type { StorageCounts } from '../../storage/storage.ts';
import { countOpenAttempts } from '../../tasks/find-attempts.ts';
import { countTasks } from '../../tasks/task-counts.ts';
import { countDeliveries } from '../../webhooks/delivery.ts';

/** Waiting tasks and results that have not expired each have a job: there may be millions. */
const sampleMs = 5_000;

export type Metrics = {
  text(): Promise<string>;
};

export function createMetrics(
  {
    db,
    providers,
    measurements,
    traces,
  }: Pick<LifecycleContext, 'db' | 'providers' | 'measurements' | 'traces'>,
  storage: StorageCounts,
): Metrics {
  const registers = [new Registry()];
  const registry = registers[0]!;
  collectDefaultMetrics({ register: registry });
  gauge(registers, {
    name: 'vidgen_tasks',
    help: 'Tasks by status and billing status.',
    labelNames: ['status', 'billing_status'],
    read: async () =>
      (await countTasks(db)).map(({ status, billingStatus, tasks }) => [
        { status, billing_status: billingStatus },
        tasks,
      ]),
  });
  const readBacklog = sampled(() => listBacklog(db));
  const readOutbox = sampled(() => countMessages(db));
  gauge(registers, {
    name: 'vidgen_jobs',
    help: 'Jobs of the queue, by kind and state.',
    labelNames: ['kind', 'state'],
    read: async () =>
      (await readBacklog()).flatMap(({ kind, due, scheduled, running }): GaugeValue[] => [
        [{ kind, state: 'ready' }, due],
        [{ kind, state: 'scheduled' }, scheduled],
        [{ kind, state: 'running' }, running],
      ]),
  });
  gauge(registers, {
    name: 'vidgen_queue_age_seconds',
    help: 'How long the oldest due job of each kind has waited for a worker.',
    labelNames: ['kind'],
    // 0 for a kind that has jobs, and none that waits.
    read: async () =>
      (await readBacklog()).map(({ kind, oldestDueSeconds }) => [
        { kind },
        Math.max(0, oldestDueSeconds ?? 0),
      ]),
  });
  gauge(registers, {
    name: 'vidgen_deliveries',
    help: 'Webhook deliveries by status.',
    labelNames: ['status'],
    read: async () =>
      (await countDeliveries(db)).map(({ status, deliveries }) => [{ status }, deliveries]),
  });
  gauge(registers, {
    name: 'vidgen_outbox_messages',
    help: 'Mails and notice webhooks that are waiting, or that failed in the last 30 days.',
    labelNames: ['channel', 'status'],
    read: async () =>
      (await readOutbox()).map(({ channel, status, messages }) => [{ channel, status }, messages]),
  });
  addProviderMetrics(registers, { db, providers });
  gauge(registers, {
    name: 'vidgen_trace_spans_dropped',
    help: 'Trace spans of this process that the collector did not accept.',
    labelNames: [],
    read: async () => (traces ? [[{}, traces.dropped()]] : []),
  });
  addStorageMetrics(registers, storage);
  addTableMetrics(registers, db);
  return {
    text: () => Registry.merge([registry, measurements.registry]).metrics(),
  };
}

/** Breakers and starts as this process sees them, open tasks from the database. */
function addProviderMetrics(
  registers: Registry[],
  { db, providers }: Pick<LifecycleContext, 'db' | 'providers'>,
): void {
  gauge(registers, {
    name: 'vidgen_provider_tasks',
    help: 'Tasks that are running at a provider.',
    labelNames: ['provider'],
    read: async () =>
      (await countOpenAttempts(db)).map(({ provider, attempts }) => [{ provider }, attempts]),
  });
  gauge(registers, {
    name: 'vidgen_provider_breaker_open',
    help: '1 while a provider gets no new tasks, 0.5 while one task tests it, 0 otherwise.',
    labelNames: ['provider'],
    read: async () =>
      providers
        .health()
        .map(({ provider, breaker }) => [
          { provider },
          { closed: 0, 'half-open': 0.5, open: 1 }[breaker],
        ]),
  });
  gauge(registers, {
    name: 'vidgen_provider_starts',
    help: 'Tasks that this process sent to a provider, by outcome.',
    labelNames: ['provider', 'outcome'],
    read: async () =>
      providers
        .health()
        .flatMap(({ provider, starts }) =>
          Object.entries(starts).map(([outcome, value]) => [{ provider, outcome }, value]),
        ),
  });
}

/** Of this process; each has its own. */
function addStorageMetrics(registers: Registry[], { bytes, errors }: StorageCounts): void {
  counter(registers, {
    name: 'vidgen_storage_bytes_total',
    help: 'Bytes that this process wrote to the storage or requested from it.',
    labelNames: ['operation'],
    read: async () => Object.entries(bytes).map(([operation, value]) => [{ operation }, value]),
  });
  counter(registers, {
    name: 'vidgen_storage_errors_total',
    help: 'Failed operations of the storage, by cause.',
    labelNames: ['operation', 'kind'],
    read: async () => errors().map(({ operation, kind, count }) => [{ operation, kind }, count]),
  });
}

/**
 * From the statistics of the database, as they were last read: a scrape does not wait for a table
 * that is locked, and the first one has none.
 */
function addTableMetrics(registers: Registry[], db: Queryable): void {
  let latest: readonly TableSize[] = [];
  const refresh = sampled(async () => {
    latest = await listTableSizes(db);
    return [];
  });
  const read = async () => {
    refresh().catch(() => {});
    return latest;
  };
  const ofTables = (
    name: string,
    help: string,
    readValue: (table: TableSize) => number | undefined,
  ) =>
    gauge(registers, {
      name,
      help,
      labelNames: ['table'],
      read: async () =>
        (await read()).flatMap((table): GaugeValue[] => {
          const value = readValue(table);
          return value === undefined ? [] : [[{ table: table.name }, value]];
        }),
    });
  ofTables('vidgen_table_bytes', 'Size of a table with its indexes.', ({ bytes }) => bytes);
  ofTables('vidgen_table_rows', 'About how many rows a table has.', ({ rows }) => rows);
  ofTables(
    'vidgen_table_dead_rows',
    'About how many deleted or replaced rows are not vacuumed yet.',
    ({ deadRows }) => deadRows,
  );
  ofTables(
    'vidgen_table_oldest_timestamp_seconds',
    'When the oldest row of a table that grows with use was created.',
    ({ oldestAt }) => (oldestAt ? oldestAt.getTime() / 1000 : undefined),
  );
}

/** Reads again only when the last reading is old enough; scrapes at the same time share it. */
function sampled<T>(read: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<readonly T[]> = Promise.resolve([]);
  return () => {
    if (monotonicMs() - readAtMs < sampleMs) return reading;
    readAtMs = monotonicMs();
    reading = read().catch((error) => {
      readAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    });
    return reading;
  };
}

type GaugeValue = [labels: Record<string, string>, value: number];

type SampledMetric = {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly read: () => Promise<GaugeValue[]>;
};

/** Of values that only grow and are counted elsewhere. */
function counter(registers: Registry[], { read, ...described }: SampledMetric): void {
  new Counter({
    ...described,
    registers,
    async collect() {
      this.reset();
      for (const [labels, value] of await read()) this.inc(labels, value);
    },
  });
}

function gauge(registers: Registry[], { read, ...described }: SampledMetric): void {
  new Gauge({
    ...described,
    registers,
    async collect() {
      this.reset();
      for (const [labels, value] of await read()) this.set(labels, value);
    },
  });
}
