/**
 * Samples the service from the outside: the process that is never killed in `/proc`, tables and
 * folders. A value grows when the median of the last fifth of the run is above that of the second
 * by more than is allowed. The first fifth is the warm-up; medians, so that a peak, a garbage
 * collection or a crash has no effect.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../server/database/database.ts';
import type { SoakEnvironment } from './environment.ts';

/** Tables that keep at least one row per task for ever. */
const historyTables = ['tasks', 'attempts', 'ledger_entries', 'deliveries', 'call_attempts'];
const passingTables = [
  ...['jobs', 'idempotency_keys', 'create_windows', 'status_rounds', 'sessions'],
  'sign_in_troubles',
];
/** Tables that are rewritten all the time and must not grow. */
const rewrittenTables = ['balances', 'jobs', 'create_windows'];
/** With fewer tasks the size per task means nothing: tables grow by whole pages. */
const tasksMin = 100;
const mebibyte = 1024 ** 2;

/** The allowed rise: a share of the level or an absolute value, whichever is more. */
const allowances: readonly (readonly [what: string, share: number, least: number])[] = [
  ['resident bytes', 0.15, 24 * mebibyte],
  ['open files', 0.2, 60],
  ['database connections', 0.2, 6],
  ['result bytes', 0.3, mebibyte],
  ['result files', 0.3, 60],
  ['unfinished bytes', 0.3, mebibyte],
  ...passingTables.map((table) => [`rows of ${table}`, 0.5, 100] as const),
  ...rewrittenTables.map((table) => [`bytes of ${table}`, 0.4, mebibyte] as const),
  ...[...historyTables, 'database'].map((name) => [`bytes of ${name} a task`, 0.1, 64] as const),
];

/** Values by name; one that could not be read, as of a dead process, is missing. */
export type SoakSample = Readonly<Record<string, number>>;

export function checkGrowth(samples: readonly SoakSample[]) {
  const fifth = (nth: number) =>
    samples.slice((samples.length * nth) / 5, (samples.length * (nth + 1)) / 5);
  return allowances.map(([what, share, least]) => {
    const before = medianOf(fifth(1), what);
    const after = medianOf(fifth(4), what);
    const allowed = Math.max(least, before * share);
    return { what, before, after, allowed, grows: after - before > allowed };
  });
}

/** NaN without values, which is no growth. */
function medianOf(samples: readonly SoakSample[], what: string): number {
  const sorted = samples.flatMap((sample) => sample[what] ?? []).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export async function takeSample(env: SoakEnvironment): Promise<SoakSample> {
  const { home, db } = env.installation;
  const [results, ...unfinished] = await Promise.all(
    ['results', 'downloads', 'results/.incoming'].map((path) => sizeOf(join(home, path))),
  );
  return {
    ...(await sampleProcess(env.steadyPid).catch(() => ({}))),
    ...(await sampleTables(db).catch(() => ({}))),
    'result bytes': results!.bytes,
    'result files': results!.files,
    'unfinished bytes': unfinished.reduce((total, { bytes }) => total + bytes, 0),
  };
}

/** Linux only. Sockets are open files, too. */
async function sampleProcess(pid: number): Promise<SoakSample> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    'resident bytes': Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024,
    'open files': (await readdir(`/proc/${pid}/fd`)).length,
  };
}

async function sampleTables(db: Database): Promise<SoakSample> {
  const { rows: sizes } = await db.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables
     union all select 'database', pg_database_size(current_database())`,
  );
  const bytesOf = new Map(sizes.map(({ name, bytes }) => [name, bytes]));
  const counts = passingTables.map((name) => `(select count(*) from ${name}) as "rows of ${name}"`);
  const { rows } = await db.query<Record<string, number>>(
    `select ${counts.join(', ')}, (select count(*) from tasks) as tasks,
       (select count(*) from deliveries where status = 'pending') as "pending deliveries",
       (select count(*) from pg_stat_activity where application_name = 'vidgen')
         as "database connections"`,
  );
  const counted = rows[0]!;
  const tasks = counted.tasks!;
  const perTask = (tasks < tasksMin ? [] : [...historyTables, 'database']).map((name) => [
    `bytes of ${name} a task`,
    bytesOf.get(name)! / tasks,
  ]);
  const rewritten = rewrittenTables.map((name) => [`bytes of ${name}`, bytesOf.get(name)]);
  return { ...counted, ...Object.fromEntries([...perTask, ...rewritten]) };
}

/** Files may disappear while the folder is read; they count as nothing. */
async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const seen = names.filter((name) => !name.startsWith('.'));
  const sizes = await Promise.all(
    seen.map((name) =>
      stat(join(folder, name)).then(
        (one) => (one.isFile() ? one.size : 0),
        () => 0,
      ),
    ),
  );
  return { bytes: sizes.reduce((total, size) => total + size, 0), files: seen.length };
}
