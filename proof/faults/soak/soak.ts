/**
 * A soak run: the service under steady work while its processes and its database die again and
 * again, looked at all the time. Everything that was acknowledged must end well, and nothing may
 * grow without end.
 */
import { monotonicMs, sleep, startInterval } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { findingViolations } from '../fault-test.ts';
import type { Findings } from '../findings.ts';
import type { Engine } from '../installation.ts';
import { SoakCustomers } from './customers.ts';
import type { SoakDatabase } from './database.ts';
import { SoakEnvironment } from './environment.ts';
import { checkGrowth, type GrowthCheck } from './growth-checks.ts';
import { Measurements } from './measurements.ts';
import { type Readers, startReaders } from './readers.ts';
import { reconcile } from './reconcile.ts';
import { sample } from './sampler.ts';
import { type Disturbance, disturbancesFor } from './schedule.ts';

export type SoakOptions = {
  readonly engine: Engine;
  /** PostgreSQL only; closed at the end. */
  readonly database: SoakDatabase | null;
  readonly processes: 1 | 2;
  readonly ms: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
};

export type SoakResult = {
  readonly findings: Findings;
  /** Every breach as a sentence, growth included. */
  readonly violations: readonly string[];
  /** Empty when the run was too short to tell. */
  readonly growthChecks: readonly GrowthCheck[];
  readonly measurements: Measurements;
  /** How often each thing was done. */
  readonly counts: Readonly<Record<string, number>>;
  readonly resultSeconds: number;
};

/** A shorter run is over before the service has warmed up: nothing can be said of its growth. */
const growthCheckMsMin = 120_000;

/** What follows from how long the run is: a short one must see everything, too. */
function pacesFor(ms: number) {
  return {
    sampleMs: Math.min(5000, Math.max(250, ms / 120)),
    /** Latencies are told of windows of several samples: a quantile needs many. */
    samplesPerWindow: 5,
    resultSeconds: Math.round(Math.min(60, Math.max(2, ms / 15_000))),
    ageMs: Math.min(120_000, ms / 8),
    readers: {
      healthMs: Math.min(500, ms / 20),
      dashboardMs: Math.min(2000, ms / 10),
      choresMs: Math.min(10_000, ms / 4),
      auditMs: Math.min(30_000, ms / 4),
    },
  };
}

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { engine, ms, seed, database, processes } = options;
  const { resultSeconds } = pacesFor(ms);
  const env = await SoakEnvironment.open({ engine, database, processes, seed, resultSeconds });
  const measurements = new Measurements();
  const customers = new SoakCustomers({ env, measurements, perSecond: options.perSecond });
  try {
    await env.start();
    return { ...(await runAndReconcile(options, { env, measurements, customers })), resultSeconds };
  } finally {
    // First the service: whoever still waits for an answer learns that none will come.
    await env.close();
    await customers.abandon();
  }
}

type Parts = {
  readonly env: SoakEnvironment;
  readonly measurements: Measurements;
  readonly customers: SoakCustomers;
};

async function runAndReconcile(
  options: SoakOptions,
  parts: Parts,
): Promise<Omit<SoakResult, 'resultSeconds'>> {
  const { env, measurements, customers } = parts;
  const paces = pacesFor(options.ms);
  const readers = await startReaders(env, measurements, paces.readers);
  const timers = [
    startInterval(paces.sampleMs, sampling(env, measurements, paces.samplesPerWindow)),
    startInterval(paces.ageMs / 4, () => age(env.db, paces.ageMs)),
  ];
  try {
    measurements.begin();
    customers.start();
    await disturb(options, parts);
  } finally {
    for (const timer of [...timers, readers]) timer.stop();
  }
  await sample(env, measurements);
  const growthChecks = options.ms < growthCheckMsMin ? [] : checkGrowth(measurements);
  options.log('The load ends; everything has to come to its end, and results to expire.');
  await finishing(customers, options.signal);
  const findings = await reconcile(env, customers);
  const counts = countsOf({ ...parts, readers });
  const violations = violationsOf({ findings, growthChecks, customers, readers });
  return { findings, violations, growthChecks, measurements, counts };
}

function sampling(env: SoakEnvironment, measurements: Measurements, samplesPerWindow: number) {
  let samples = 0;
  return async () => {
    await sample(env, measurements);
    if (++samples % samplesPerWindow === 0) measurements.closeWindow();
  };
}

/**
 * A run is shorter than the day for which keys are remembered and the week that a session may rest:
 * the database is told that they are older than they are.
 */
async function age(db: Database | null, ageMs: number): Promise<void> {
  if (!db) return;
  const old = `between now() - interval '1 hour' and now() - make_interval(secs => $1)`;
  const aged = (statement: string) => db.query(statement, [ageMs / 1000]).catch(() => {});
  await aged(
    `update idempotency_keys set created_at = created_at - interval '26 hours'
      where created_at ${old}`,
  );
  // Not the first one, of whom is at the dashboard all the time.
  await aged(
    `update sessions set last_used_at = last_used_at - interval '8 days'
      where last_used_at ${old} and created_at > (select min(created_at) from sessions)`,
  );
}

/** Until the time is over: each disturbance at its moment, or later where one took long. */
async function disturb(
  options: SoakOptions,
  { env, measurements, customers }: Parts,
): Promise<void> {
  const { ms, signal, log } = options;
  const fromMs = monotonicMs();
  const isPossible = ({ kind }: Disturbance) => kind !== 'database' || options.database?.crash;
  for (const one of disturbancesFor(options).filter(isPossible)) {
    await sleep(Math.max(0, one.atMs - (monotonicMs() - fromMs)), signal);
    if (signal.aborted) return;
    measurements.mark(one.kind);
    const beganMs = monotonicMs();
    await env.disturb(one);
    const minutes = ((monotonicMs() - fromMs) / 60_000).toFixed(1);
    const seconds = ((monotonicMs() - beganMs) / 1000).toFixed(1);
    const megabytes = (measurements.last('steady resident') / 1024 ** 2).toFixed(0);
    log(
      `${minutes} min: ${disturbanceMessages[one.kind]}, back after ${seconds} s; ` +
        `${customers.acknowledged.size} tasks, ${megabytes} MB resident`,
    );
  }
  await sleep(Math.max(0, ms - (monotonicMs() - fromMs)), signal);
}

const disturbanceMessages: Readonly<Record<Disturbance['kind'], string>> = {
  kill: 'a process was killed',
  stop: 'a process was stopped in order',
  database: 'the database was killed',
};

async function finishing(customers: SoakCustomers, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([customers.stop(), aborted.then(() => customers.abandon())]);
}

function countsOf({
  env,
  customers,
  readers,
  measurements,
}: Parts & { readonly readers: Readers }): SoakResult['counts'] {
  const marked = (wantedKind: Disturbance['kind']) =>
    measurements.marks.filter(({ kind }) => kind === wantedKind).length;
  return {
    'tasks acknowledged': customers.acknowledged.size,
    'tasks cancelled by their customers': customers.cancels,
    'results downloaded': customers.downloads,
    'webhook calls received': env.receivers.webhooks(),
    'audits while at work': readers.audits(),
    'processes killed': marked('kill'),
    'processes stopped in order': marked('stop'),
    'databases killed': marked('database'),
  };
}

function violationsOf(parts: {
  readonly findings: Findings;
  readonly growthChecks: readonly GrowthCheck[];
  readonly customers: SoakCustomers;
  readonly readers: Readers;
}): string[] {
  const { findings, growthChecks, customers, readers } = parts;
  return [
    ...findingViolations(findings),
    ...customers.violations,
    ...readers.violations,
    ...growthChecks
      .filter(({ verdict }) => verdict === 'grows')
      .map(({ what, before, after }) => `${what} grows without end: from ${before} to ${after}`),
  ];
}
