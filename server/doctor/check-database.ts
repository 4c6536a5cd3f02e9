/**
 * Checks of a database that is open: its version, settings, migrations, the rights of its user, its
 * secret, workers, latency, free connections, whether notifications arrive, and whether this
 * machine's clock agrees with it. Changes nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { isOtherSecret } from '../accounts/installation-secret.ts';
import type { Database } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { readMigrationState } from '../database/migrate.ts';
import { findMissingRights } from '../database/missing-rights.ts';
import { monotonicMs, nowMs, sleep } from '../process/clock.ts';
import { hasLiveWorker } from '../processes/processes.ts';
import { failure, guard, ok, warning } from './finding.ts';

const oldestMajor = 15;
const latencySamples = 7;
/** A create commits in four round trips; each of them holds the balances of its batch. */
const latencyMsWarning = 20;
const connectionShareWarning = 0.8;
const notificationMsMax = 2_000;
const clockMsWarning = 2_000;
/** Object stores and receivers of webhooks reject a signature that is minutes old. */
const clockMsError = 120_000;

export async function checkDatabase(
  db: Database,
  { secret }: { readonly secret: string | null },
): Promise<Finding[]> {
  const remedy = 'Check the log of the database, and the rights of its user.';
  const checks = [
    ...[checkServer, checkRights, checkMigrations],
    ...[(opened: Database) => checkSecret(opened, secret), checkWorkers],
    ...[checkLatency, checkNotifications, checkClock],
  ];
  const findings: Finding[] = [];
  // One after the other: the latency of a busy connection would say nothing.
  for (const check of checks) {
    findings.push(...(await guard('database', remedy, () => check(db))));
  }
  return findings;
}

type ServerState = {
  readonly version: number;
  readonly name: string;
  readonly fsync: string;
  readonly synchronous: string;
  readonly max: number;
  readonly used: number;
};

async function checkServer(db: Database): Promise<Finding[]> {
  const { rows } = await db.query<ServerState>(
    `select current_setting('server_version_num')::int as version,
            current_setting('server_version') as name, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous,
            current_setting('max_connections')::int as max,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
              as used`,
  );
  const { version, name, fsync, synchronous, max, used } = rows[0]!;
  const findings = [
    Math.floor(version / 10_000) < oldestMajor
      ? failure('database', `PostgreSQL ${name} is too old`, `Use ${oldestMajor} or newer.`)
      : ok('database', `PostgreSQL ${name} is reachable`),
  ];
  if (fsync !== 'on' || synchronous === 'off') {
    findings.push(
      failure(
        'database',
        `fsync is ${fsync} and synchronous_commit is ${synchronous}: a power failure loses commits`,
        'Set both to on: an acknowledged create must survive.',
      ),
    );
  }
  if (used > max * connectionShareWarning) {
    const message = `${used} of ${max} connections are in use`;
    const remedy = 'Raise max_connections, or use a pooler; a process opens up to 11.';
    findings.push(warning('database', message, remedy));
  }
  return findings;
}

async function checkRights(db: Database): Promise<Finding[]> {
  const missing = await findMissingRights(db);
  if (missing === null) return [];
  const [message = '', ...fix] = missing.split('; ');
  return [failure('database', capitalized(message), `${capitalized(fix.join('; '))}.`)];
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

async function checkSecret(db: Database, secret: string | null): Promise<Finding[]> {
  if (!(await readMigrationState(db)) || !(await isOtherSecret(db, secret))) return [];
  const message =
    secret === null
      ? 'VIDGEN_SECRET is not set, and the database was created with one'
      : 'VIDGEN_SECRET is not the secret that the database was created with';
  const remedy = 'Set the original one, or unset it if it was not set then.';
  return [failure('settings', message, remedy)];
}

async function checkWorkers(db: Database): Promise<Finding[]> {
  if (!(await readMigrationState(db)) || (await hasLiveWorker(db)) !== false) return [];
  const message = 'No worker is running: tasks are accepted and wait';
  return [failure('process', message, 'Start one with `npm start -- --role worker`.')];
}

async function checkMigrations(db: Database): Promise<Finding[]> {
  const state = await readMigrationState(db);
  if (!state) return [ok('database', 'The database is empty; the first start creates the tables')];
  const { known, missing, newer } = state;
  if (newer.length > 0) {
    return [
      failure(
        'database',
        `The database was migrated by a newer version of vidgen (${newer.at(-1)})`,
        'Upgrade this installation to that version.',
      ),
    ];
  }
  if (missing.length === 0) return [ok('database', `All ${known} migrations are applied`)];
  return [
    warning(
      'database',
      `${missing.length} migrations are not applied, the first is ${missing[0]}`,
      'Start vidgen: it applies them.',
    ),
  ];
}

async function checkLatency(db: Database): Promise<Finding[]> {
  const samples: number[] = [];
  for (let sample = 0; sample < latencySamples; sample++) {
    const startedMs = monotonicMs();
    await db.query('select 1');
    samples.push(monotonicMs() - startedMs);
  }
  const medianMs = samples.sort((a, b) => a - b)[latencySamples >> 1]!;
  const message = `A round trip takes ${medianMs.toFixed(1)} ms`;
  if (medianMs <= latencyMsWarning) return [ok('database', message)];
  return [warning('database', message, 'Run vidgen in the same data center as its database.')];
}

/** A pooler in transaction mode accepts LISTEN and passes nothing on. */
async function checkNotifications(db: Database): Promise<Finding[]> {
  const channel = `vidgen_doctor_${randomUUID().replaceAll('-', '')}`;
  const arrived = new AbortController();
  const listener = await db.listen(channel, () => arrived.abort());
  try {
    await db.query('select pg_notify($1, $2)', [channel, 'doctor']);
    await sleep(notificationMsMax, arrived.signal);
  } finally {
    await listener.stop();
  }
  if (arrived.signal.aborted) return [ok('database', 'Notifications arrive')];
  return [
    warning(
      'database',
      'Notifications do not arrive, as through a pooler in transaction mode: work starts later',
      'Set VIDGEN_DATABASE_LISTEN_URL to a direct connection to the same database.',
    ),
  ];
}

async function checkClock(db: Database): Promise<Finding[]> {
  const before = nowMs();
  const database = await databaseMs(db);
  const after = nowMs();
  const aheadMs = Math.max(0, before - database) || Math.min(0, after - database);
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) < clockMsWarning) {
    return [ok('clock', 'The clock agrees with that of the database')];
  }
  const message = `The clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database`;
  const remedy = 'Synchronize both clocks, for example with chrony.';
  const isError = Math.abs(aheadMs) >= clockMsError;
  return [(isError ? failure : warning)('clock', message, remedy)];
}
