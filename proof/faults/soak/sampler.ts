/**
 * Samples the service from the outside every few seconds: its processes in `/proc`, its tables and
 * folders, and `/metrics`. A value that cannot be read, as of a dead process, is a gap.
 */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../server/database/database.ts';
import { sleep } from '../../../server/process/clock.ts';
import type { ServiceProcess } from '../service-process.ts';
import type { SoakEnvironment } from './environment.ts';
import type { Measurements } from './growth.ts';

/** Tables that keep at least one row per task for ever. */
export const historyTables = ['tasks', 'attempts', 'ledger_entries', 'deliveries', 'call_attempts'];
/** Tables whose rows must be deleted again. */
export const passingTables = [
  'jobs',
  'idempotency_keys',
  'create_windows',
  'status_rounds',
  'sessions',
  'sign_in_troubles',
];
/** Tables that are rewritten all the time and must not grow. */
export const rewrittenTables = ['balances', 'jobs', 'create_windows'];

/** A source without a response by then is skipped until the next sample. */
const timeoutMs = 5000;

type Gauges = ReadonlyMap<string, number>;

export async function sample(env: SoakEnvironment, measurements: Measurements): Promise<void> {
  const { home, db } = env.installation;
  const folders = (name: string, ...paths: readonly string[]) =>
    sampleFolders(measurements, { name, folders: paths.map((path) => join(home, path)) });
  await Promise.all([
    ...[...env.processes].map(([name, process]) => sampleProcess(measurements, { name, process })),
    sampleTablesSoon(db, measurements),
    folders('results', 'results'),
    folders('unfinished', 'downloads', 'results/.incoming'),
  ]);
}

async function sampleProcess(
  measurements: Measurements,
  { name, process }: { name: string; process: ServiceProcess | undefined },
): Promise<void> {
  const held = process ? await heldBy(process).catch(() => null) : null;
  const note = (what: string, value: number | undefined) =>
    measurements.note(`${name} ${what}`, value ?? Number.NaN);
  const gauges = process ? await readMetrics(process.url).catch(() => null) : null;
  if (gauges && name === 'steady') noteWork(measurements, gauges);
  note('resident', held?.residentBytes);
  note('files', held?.files);
  note('sockets', held?.sockets);
  note('threads', held?.threads);
  note('heap', gauges?.get('nodejs_heap_size_used_bytes'));
  note('pid', process?.pid);
}

/** Linux only; elsewhere all values are gaps. */
async function heldBy({ pid }: ServiceProcess) {
  const procStatus = await readFile(`/proc/${pid}/status`, 'utf8');
  const figure = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(procStatus)?.[1]);
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder);
  const targets = await Promise.all(
    files.map((one) => readlink(join(folder, one)).catch(() => '')),
  );
  return {
    residentBytes: figure('VmRSS') * 1024,
    threads: figure('Threads'),
    files: targets.filter((target) => target !== '').length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
  };
}

async function readMetrics(url: string): Promise<Gauges> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`/metrics returned ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

function noteWork(measurements: Measurements, counted: Gauges): void {
  const sum = (name: string, label = '') =>
    [...counted]
      .filter(([key]) => key.startsWith(`${name}{`) && key.includes(label))
      .reduce((total, [, value]) => total + value, 0);
  for (const state of ['ready', 'running', 'scheduled']) {
    measurements.note(`jobs ${state}`, sum('vidgen_jobs', `state="${state}"`));
  }
  measurements.note('tasks', sum('vidgen_tasks'));
  measurements.note('deliveries pending', sum('vidgen_deliveries', 'status="pending"'));
}

async function sampleTablesSoon(db: Database, measurements: Measurements): Promise<void> {
  const answered = new AbortController();
  const sampling = sampleTables(db, measurements).catch(() => {});
  await Promise.race([sampling, sleep(timeoutMs, answered.signal)]);
  answered.abort();
}

type TableRow = { name: string; bytes: number };

async function sampleTables(db: Database, measurements: Measurements): Promise<void> {
  const { rows } = await db.query<TableRow>(
    `select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`,
  );
  for (const { name, bytes } of rows) measurements.note(`${name} bytes`, bytes);
  const counts = passingTables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const { rows: counted } = await db.query<Record<string, number>>(
    `select ${counts.join(', ')}, pg_database_size(current_database()) as database,
       (select count(*) from pg_stat_activity where application_name = 'vidgen') as connections`,
  );
  const { database, connections, ...tables } = counted[0]!;
  for (const [table, count] of Object.entries(tables)) measurements.note(`${table} rows`, count);
  measurements.note('database bytes', database!);
  measurements.note('connections', connections!);
}

async function sampleFolders(
  measurements: Measurements,
  { name, folders }: { name: string; folders: readonly string[] },
): Promise<void> {
  const { bytes, entries } = sumOf(await Promise.all(folders.map(contentOf)));
  measurements.note(`${name} bytes`, bytes);
  measurements.note(`${name} entries`, entries);
}

type Content = { readonly bytes: number; readonly entries: number };

/** Files may disappear while the folder is read; they count as nothing. */
async function contentOf(folder: string): Promise<Content> {
  const all = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = all.filter(({ name }) => !name.startsWith('.'));
  const inside = await Promise.all(
    found.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return await contentOf(path);
      return { bytes: (await stat(path).catch(() => null))?.size ?? 0, entries: 0 };
    }),
  );
  return sumOf([...inside, { bytes: 0, entries: found.length }]);
}

const sumOf = (contents: readonly Content[]): Content => ({
  bytes: contents.reduce((total, { bytes }) => total + bytes, 0),
  entries: contents.reduce((total, { entries }) => total + entries, 0),
});
