/**
 * Writes `docs/scale.md` from the saved results: what 1, 100 and 10,000 creates per second need.
 * Every figure follows from a measured one and from the assumptions that the page names.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './comparison.ts';
import { readResult, resultsFolder, type SavedResult } from './results.ts';
import type { Measured } from './rounds.ts';

const page = join(resultsFolder, '../scale.md');

/** What a task does besides being created, and what machines and bytes cost. */
const assumed = {
  statusRequests: 10,
  videoMegabytes: 5,
  downloads: 1,
  keptDays: 1,
  /** A queue in front of a processor that is busier than this grows fast. */
  busyShare: 0.6,
  databaseCoresMax: 64,
  coreDollars: 25,
  gigabyteDollars: 0.023,
  databaseGigabyteDollars: 0.12,
  trafficGigabyteDollars: 0.09,
} as const;

const rates = [1, 100, 10_000];
const secondsPerMonth = 30 * 86_400;
const secondsPerDay = 86_400;

/** Microseconds and bytes of one task, as measured. */
type TaskCost = {
  readonly create: Measured;
  readonly status: Measured;
  readonly task: Measured;
  /** Of its rows and their indexes. */
  readonly databaseBytes: number;
  readonly measured: SavedResult;
};

export function writeScalePage(): void {
  const text = scalePage(readResult);
  if (text !== null) writeFileSync(page, text);
}

/** Returns null until everything that it needs was measured. */
export function scalePage(read: (section: string) => SavedResult | null): string | null {
  const subject = (section: string) => read(section)?.comparisons?.[0]?.subject;
  const [create, status, task] = [subject('create'), subject('status'), subject('task')];
  const databaseBytes = read('growth')?.bytesPerTask;
  const measured = read('task');
  if (!create || !status || !task || !databaseBytes || !measured) return null;
  const cost = { create, status, task, databaseBytes, measured };
  return [intro(cost), needs(cost), oneDatabase(cost), spread].join('\n');
}

function intro({ create, status, task, databaseBytes, measured }: TaskCost): string {
  const micros = (one: Measured) => [one.serviceMicros, one.databaseMicros].map(whole);
  const rows = [
    ['Create', ...micros(create), whole(create.walBytes)],
    ['Status request', ...micros(status), '–'],
    ['Whole task: create, submit, poll, store, settle, notify', ...micros(task)],
  ];
  rows[2]!.push(whole(task.walBytes));
  return `# Scale

What an installation needs for 1, 100 and 10,000 creates per second. Written by \`npm run bench\`
from the figures of [performance.md](performance.md), so the two never differ.

## What one task costs

${table(['', 'service, µs', 'database, µs', 'WAL, bytes'], rows).join('\n')}

Its rows and their indexes take ${whole(databaseBytes)} bytes, for as long as they are kept
([retention.md](retention.md)). Measured on ${measured.measuredOn}: ${measured.machine}.
`;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Processor seconds per second, of the service and the database. */
function coresAt(rate: number, { status, task }: TaskCost) {
  const micros = (part: 'serviceMicros' | 'databaseMicros') =>
    task[part] + assumed.statusRequests * status[part];
  const cores = (part: 'serviceMicros' | 'databaseMicros') =>
    (rate * micros(part)) / 1_000_000 / assumed.busyShare;
  return { service: cores('serviceMicros'), database: cores('databaseMicros') };
}

function needs(cost: TaskCost): string {
  const columns = rates.map((rate) => needsAt(rate, cost));
  const row = (name: string, value: (column: (typeof columns)[number]) => string) => [
    name,
    ...columns.map(value),
  ];
  const rows = [
    row('Service processes, one core each', ({ service }) =>
      whole(Math.max(1, Math.ceil(service))),
    ),
    row('PostgreSQL, cores', ({ database }) => whole(Math.max(1, Math.ceil(database)))),
    row('PostgreSQL, WAL per second', ({ walBytes }) => megabytes(walBytes)),
    row('PostgreSQL, rows of 30 days', ({ rowBytes }) => gigabytes(rowBytes)),
    row('Videos in storage', ({ storedBytes }) => gigabytes(storedBytes)),
    row('Traffic to customers per second', ({ trafficBytes }) => megabytes(trafficBytes)),
    row('Machines per month', ({ machineDollars }) => dollars(machineDollars)),
    row('Storage and database disk per month', ({ diskDollars }) => dollars(diskDollars)),
    row('Traffic per month', ({ trafficDollars }) => dollars(trafficDollars)),
  ];
  const { statusRequests, videoMegabytes, keptDays, busyShare } = assumed;
  const prices = [
    `$${assumed.coreDollars} for a core and month`,
    `$${assumed.gigabyteDollars} for a GB of objects`,
    `$${assumed.databaseGigabyteDollars} for a GB of database disk`,
    `$${assumed.trafficGigabyteDollars} for a GB of traffic`,
  ];
  return `## What a rate needs

The table assumes per task: ${statusRequests} status requests, one webhook, a video of
${videoMegabytes} MB that is kept for ${keptDays} day and downloaded once. Processors are at most
${busyShare * 100} % busy. Prices are round list prices of large clouds:
${prices.join(', ')}.
Put in your own. What providers charge for generating the videos is not in it.

${table(['', ...rates.map((rate) => `${whole(rate)} per second`)], rows).join('\n')}

- At 1 per second one machine with \`npm start\` is enough, and its database is the embedded one.
- At 100 per second run API and worker processes apart (\`VIDGEN_ROLE\`), on two machines at least
  so that one can be restarted, with an external PostgreSQL and object storage
  ([deploying.md](deploying.md), [storage.md](storage.md)). Serve videos by redirect or through a
  CDN, so that they do not pass through the service.
- At 10,000 per second the database decides; see below.
`;
}

function needsAt(rate: number, cost: TaskCost) {
  const { service, database } = coresAt(rate, cost);
  const rowBytes = rate * secondsPerMonth * cost.databaseBytes;
  const videoBytes = assumed.videoMegabytes * 1_000_000;
  const storedBytes = rate * secondsPerDay * assumed.keptDays * videoBytes;
  const trafficBytes = rate * assumed.downloads * videoBytes;
  const gb = (bytes: number) => bytes / 1_000_000_000;
  return {
    ...{ service, database, rowBytes, storedBytes, trafficBytes },
    walBytes: rate * cost.task.walBytes,
    machineDollars:
      (Math.max(1, Math.ceil(service)) + Math.max(1, Math.ceil(database))) * assumed.coreDollars,
    diskDollars:
      gb(storedBytes) * assumed.gigabyteDollars + gb(rowBytes) * assumed.databaseGigabyteDollars,
    trafficDollars: gb(trafficBytes) * secondsPerMonth * assumed.trafficGigabyteDollars,
  };
}

const dollars = (value: number): string => `$${whole(value)}`;
const megabytes = (bytes: number): string => `${amount(bytes / 1_000_000)} MB`;
const gigabytes = (bytes: number): string => `${amount(bytes / 1_000_000_000)} GB`;
const amount = (value: number): string => (value < 10 ? value.toFixed(2) : whole(value));

function oneDatabase(cost: TaskCost): string {
  const { database } = coresAt(1, cost);
  const { databaseCoresMax, busyShare } = assumed;
  const rateMax = databaseCoresMax / database;
  const walMax = rateMax * cost.task.walBytes;
  const rowsPerDay = rateMax * secondsPerDay * cost.databaseBytes;
  return `## Where one PostgreSQL ends

A server with ${databaseCoresMax} cores that is ${busyShare * 100} % busy carries about
${whole(rateMax)} tasks per second, if cores are the limit. It then writes
${megabytes(walMax)} of WAL per second and grows by ${gigabytes(rowsPerDay)} a day, so set a
retention. This is computed from the cost of a task on two cores, and was not measured on such a
machine: locks and the disk may end it earlier.

- The API may be spread over any number of processes: creates of one account meet at its balance
  row, and different accounts at nothing.
- One account is not limited by one row: creates that wait for it are accepted together.
- Tables do not need partitions for speed: [performance.md](performance.md) has the cost with many
  tasks beside 10,000. They would make deleting old rows cheaper.
- Read replicas help nothing here: status requests cost the database little and must be current.
`;
}

const spread = `## Beyond one PostgreSQL

The tasks, credits and keys of an account depend on no other account. So accounts are spread over
installations, each with its own database, processes, secret and folder in the object storage, all
with the same configuration:

1. Give each new account to one installation, and give its owner the base URL of that installation.
   A proxy with one public URL can do the same by a table of API keys; vidgen has no such proxy.
2. Limits of a provider apply to all installations together, so divide its quota among them in
   \`vidgen.config.ts\`.
3. Usage, statements and the audit are per installation. Add them up outside.

An account cannot be moved to another installation with its history. Export it, create it again, and
grant its balance there.
`;
