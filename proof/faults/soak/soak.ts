/**
 * A soak run: the service under steady load while its processes and its database are killed again
 * and again. Every acknowledged task must end as planned, and nothing may grow without end.
 */
import { monotonicMs, sleep, startInterval } from '../../../server/process/clock.ts';
import type { Cluster } from '../database/cluster.ts';
import { type Findings, findingViolations } from '../fault-test.ts';
import { SoakCustomers } from './customers.ts';
import { SoakEnvironment } from './environment.ts';
import { Measurements } from './growth.ts';
import { checkGrowth, type GrowthCheck } from './growth-checks.ts';
import { type SoakReaders, startReaders } from './readers.ts';
import { reconcile } from './reconcile.ts';
import { sample } from './sampler.ts';
import { type Disturbance, disturbancesFor } from './schedule.ts';

type SoakOptions = {
  /** A PostgreSQL that can be crashed. */
  readonly cluster: Cluster | null;
  readonly processes: 1 | 2;
  readonly ms: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
};

export type SoakResult = {
  readonly findings: Findings;
  /** One message per violation, growth included. */
  readonly violations: readonly string[];
  /** Empty when the run was too short. */
  readonly growthChecks: readonly GrowthCheck[];
  readonly measurements: Measurements;
  /** How often each action was done. */
  readonly counts: Readonly<Record<string, number>>;
};

/** A shorter run ends before the service has warmed up, and has no growth checks. */
const growthCheckMsMin = 120_000;

/** Intervals that depend on the length of the run: a short one must do everything, too. */
function pacesFor(ms: number) {
  return {
    sampleMs: Math.min(5000, Math.max(250, ms / 120)),
    resultSeconds: Math.round(Math.min(60, Math.max(2, ms / 15_000))),
    ageMs: Math.min(120_000, ms / 8),
    readers: {
      dashboardMs: Math.min(2000, ms / 10),
      choresMs: Math.min(10_000, ms / 4),
      auditMs: Math.min(30_000, ms / 4),
    },
  };
}

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { ms, seed, cluster, processes } = options;
  const { resultSeconds } = pacesFor(ms);
  const env = await SoakEnvironment.open({ cluster, processes, seed, resultSeconds });
  const measurements = new Measurements();
  const customers = new SoakCustomers({ env, perSecond: options.perSecond });
  try {
    return await runAndReconcile(options, { env, measurements, customers });
  } finally {
    // The service first, so that waiting requests fail.
    await env[Symbol.asyncDispose]();
    await customers.abandon();
  }
}

type SoakParts = {
  readonly env: SoakEnvironment;
  readonly measurements: Measurements;
  readonly customers: SoakCustomers;
};

async function runAndReconcile(options: SoakOptions, parts: SoakParts): Promise<SoakResult> {
  const { env, measurements, customers } = parts;
  const paces = pacesFor(options.ms);
  const readers = await startReaders(env, paces.readers);
  const timers = [
    startInterval(paces.sampleMs, () => sample(env, measurements)),
    startInterval(paces.ageMs / 4, () => age(parts, paces.ageMs)),
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
  options.log('The load ends; waiting for all tasks to end and all results to expire.');
  await finishing(customers, options.signal);
  const findings = await reconcile(env, customers);
  const counts = countsOf({ ...parts, readers });
  const violations = violationsOf({ findings, growthChecks, customers, readers });
  return { findings, violations, growthChecks, measurements, counts };
}

/**
 * Makes idempotency keys and sessions older in the database, since a run is shorter than the day
 * and the week after which they expire. Not the key of a create that will be sent again: the
 * restart of a process can take longer than a short run waits before it ages keys.
 */
async function age({ env, customers }: SoakParts, ageMs: number): Promise<void> {
  const { db } = env.installation;
  const old = `between now() - interval '1 hour' and now() - make_interval(secs => $1)`;
  const aged = (statement: string, ...values: unknown[]) =>
    db.query(statement, [ageMs / 1000, ...values]).catch(() => {});
  await aged(
    `update idempotency_keys set created_at = created_at - interval '26 hours'
      where created_at ${old} and key <> all($2)`,
    [...customers.openKeys],
  );
  // Not the first session, which reads the dashboard during the whole run.
  await aged(
    `update sessions set last_used_at = last_used_at - interval '8 days'
      where last_used_at ${old} and created_at > (select min(created_at) from sessions)`,
  );
}

/** Runs each disturbance at its time, or later when the one before took long. */
async function disturb(options: SoakOptions, { env, measurements }: SoakParts): Promise<void> {
  const { ms, signal, log } = options;
  const fromMs = monotonicMs();
  const isPossible = ({ kind }: Disturbance) => kind !== 'database' || options.cluster !== null;
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
        `${env.installation.clients.acknowledged.size} tasks, ${megabytes} MB resident`,
    );
  }
  await sleep(Math.max(0, ms - (monotonicMs() - fromMs)), signal);
}

const disturbanceMessages: Readonly<Record<Disturbance['kind'], string>> = {
  kill: 'a process was killed',
  stop: 'a process was stopped',
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
}: SoakParts & { readonly readers: SoakReaders }): SoakResult['counts'] {
  const marked = (wantedKind: Disturbance['kind']) =>
    measurements.marks.filter(({ kind }) => kind === wantedKind).length;
  return {
    'tasks acknowledged': env.installation.clients.acknowledged.size,
    'tasks cancelled by their customers': customers.cancels.size,
    'results downloaded': customers.downloads,
    'webhooks received': env.installation.receiver.webhooks.length,
    'invariant checks during the run': readers.audits(),
    'processes killed': marked('kill'),
    'processes stopped': marked('stop'),
    'databases killed': marked('database'),
  };
}

function violationsOf(parts: {
  readonly findings: Findings;
  readonly growthChecks: readonly GrowthCheck[];
  readonly customers: SoakCustomers;
  readonly readers: SoakReaders;
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
