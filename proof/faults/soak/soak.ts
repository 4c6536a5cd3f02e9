/**
 * A soak run: the service under steady load while its processes and its database are killed again
 * and again. Every acknowledged task must end as planned, and nothing may grow without end.
 */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { monotonicMs, sleep, startInterval } from '../../../server/process/clock.ts';
import type { Cluster } from '../../kit/cluster.ts';
import { newAdministrator, openBrowserSession } from '../../kit/people.ts';
import { clientOf } from '../../kit/service.ts';
import { type Findings, findingViolations } from '../fault-test.ts';
import { brokenChecks, inspectTasks } from '../findings.ts';
import { type CancelOutcome, SoakCustomers } from './customers.ts';
import { SoakEnvironment } from './environment.ts';
import { checkGrowth, type GrowthCheck } from './growth.ts';
import { type SoakSample, takeSample } from './sampler.ts';
import { type Disturbance, disturbancesFor, planOf } from './schedule.ts';

type SoakOptions = {
  /** A PostgreSQL that can be crashed. */
  readonly cluster: Cluster | null;
  readonly processes: 1 | 2;
  readonly ms: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly log: (line: string) => void;
};

export type SoakResult = {
  readonly findings: Findings;
  /** One message per violation, growth included. */
  readonly violations: readonly string[];
  /** Empty when the run was too short. */
  readonly growthChecks: readonly GrowthCheck[];
  readonly lastSample: SoakSample;
  /** How often each action was done. */
  readonly counts: Readonly<Record<string, number>>;
};

/** A shorter run ends before the service has warmed up, and has no growth checks. */
const growthCheckMsMin = 120_000;
const pollMs = 1000;
/** Generous: a busy machine is no lost task. */
const endMsMax = 600_000;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { ms, seed, cluster, processes, perSecond, log } = options;
  const resultSeconds = Math.round(Math.min(60, Math.max(2, ms / 15_000)));
  const env = await SoakEnvironment.open({ cluster, processes, seed, resultSeconds });
  const customers = new SoakCustomers({ env, perSecond });
  const samples: SoakSample[] = [];
  const violations: string[] = [];
  const done: Record<string, number> = { audits: 0, kill: 0, stop: 0, database: 0 };
  try {
    const timers = [
      startInterval(Math.min(5000, Math.max(250, ms / 120)), async () => {
        samples.push(await takeSample(env));
      }),
      startInterval(Math.min(120_000, ms / 8) / 4, () => age(env, customers, ms / 8)),
      startInterval(Math.min(10_000, ms / 4), await otherCallers(env, { violations, done })),
    ];
    customers.start();
    await disturb(options, env, done);
    for (const timer of timers) timer.stop();
    const growthChecks = ms < growthCheckMsMin ? [] : checkGrowth(samples);
    log('The load ends; waiting for all tasks to end and all results to expire.');
    await customers.stop();
    const findings = await reconcile(env, customers);
    const grown = growthChecks.filter(({ grows }) => grows);
    return {
      findings,
      growthChecks,
      lastSample: samples.at(-1) ?? {},
      violations: [
        ...findingViolations(findings),
        ...customers.violations,
        ...violations,
        ...grown.map(({ what, before, after }) => `${what} grows: from ${before} to ${after}`),
      ],
      counts: {
        'tasks acknowledged': env.installation.clients.acknowledged.size,
        'tasks cancelled by their customers': customers.cancels.size,
        'results downloaded': customers.downloads,
        'webhooks received': env.installation.receiver.webhooks.length,
        'invariant checks during the run': done.audits!,
        'processes killed': done.kill!,
        'processes stopped': done.stop!,
        'databases killed': done.database!,
      },
    };
  } finally {
    // The service first, so that waiting requests fail.
    await env[Symbol.asyncDispose]();
    await customers.abandon();
  }
}

/**
 * A person who reads the dashboard and signs in without signing out, a key that is used once, and
 * the invariant checks. The rows they leave must be deleted in time.
 */
async function otherCallers(
  env: SoakEnvironment,
  { violations, done }: { violations: string[]; done: Record<string, number> },
): Promise<() => Promise<void>> {
  const { installation } = env;
  const { admin, accounts, url } = installation;
  const person = await newAdministrator(installation);
  const { email, password } = person;
  let round = 0;
  const callOnce = async () => {
    const { id } = accounts[++round % accounts.length]!;
    const lists = ['tasks?limit=50', 'ledger?limit=50', 'deliveries?limit=50', 'usage?mode=live'];
    const ofAccount = lists.map((list) => `/admin/accounts/${id}/${list}`);
    for (const path of ['/session', '/admin/tasks?limit=50', '/admin/summary', ...ofAccount]) {
      const { status, body } = await person.get(path);
      if (status < 300 || env.isDisturbed) continue;
      violations.push(`${path}: ${status} ${JSON.stringify(body)}`);
    }
    await openBrowserSession(url).post('/session', { email, password });
    const { body: key } = await admin.post(`/admin/accounts/${id}/keys`, {
      name: 'Used once',
      mode: 'live',
    });
    const client = clientOf(url, String(key.key));
    await client.get('/v1/credits');
    await client.create({ model: 'a boat' });
    await admin.send('DELETE', `/admin/keys/${key.id}`);
    const { status, body } = await admin.get('/admin/audit');
    if (status !== 200) return;
    done.audits! += 1;
    violations.push(...brokenChecks(body).map((one) => `during the run: ${one}`));
  };
  // A process that is killed in between gives no response; rows must be deleted all the same.
  return () => callOnce().catch(() => {});
}

/**
 * Makes idempotency keys and sessions older in the database, since a run is shorter than the day
 * and the week after which they expire. Not the key of a create that will be sent again: the
 * restart of a process can take longer than a short run waits before it ages keys.
 */
async function age(env: SoakEnvironment, customers: SoakCustomers, ageMs: number): Promise<void> {
  const { db } = env.installation;
  const old = `between now() - interval '1 hour' and now() - make_interval(secs => $1)`;
  const aged = (statement: string, ...values: unknown[]) =>
    db.query(statement, [Math.min(120, ageMs / 1000), ...values]).catch(() => {});
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
async function disturb(
  options: SoakOptions,
  env: SoakEnvironment,
  done: Record<string, number>,
): Promise<void> {
  const { ms, log, cluster } = options;
  const fromMs = monotonicMs();
  const isPossible = ({ kind }: Disturbance) => kind !== 'database' || cluster !== null;
  for (const one of disturbancesFor(options).filter(isPossible)) {
    await sleep(Math.max(0, one.atMs - (monotonicMs() - fromMs)));
    done[one.kind]! += 1;
    await env.disturb(one);
    const minutes = ((monotonicMs() - fromMs) / 60_000).toFixed(1);
    const { size } = env.installation.clients.acknowledged;
    log(`${minutes} min: ${one.kind}, and back again; ${size} tasks`);
  }
  await sleep(Math.max(0, ms - (monotonicMs() - fromMs)));
}

/** Waits until all is over, and compares every task, webhook and balance with the plan. */
async function reconcile(env: SoakEnvironment, customers: SoakCustomers): Promise<Findings> {
  const left = await waitUntilOver(env);
  const { seed } = env.options;
  const { admin, clients, upstream, completed } = env.installation;
  const findings = await inspectTasks(env.installation, {
    results: 'expired',
    accountOf: (taskNumber) => planOf(seed, taskNumber).account,
    endsOf: (taskNumber) =>
      endsOf(planOf(seed, taskNumber).end, {
        cancel: customers.cancels.get(taskNumber),
        upstreamEnd: upstream.endOf(taskNumber),
      }),
  });
  const broken = [...findings.broken, ...left];
  // What the provider generated for a task that ended as cancelled is shown as a loss.
  for (const taskNumber of customers.cancels.keys()) {
    if (completed.has(taskNumber) || upstream.endOf(taskNumber) !== 'succeeded') continue;
    const taskId = clients.acknowledged.get(taskNumber)!;
    const { body } = await admin.get(`/admin/tasks/${taskId}`);
    const hasLoss = (body as AdminTaskDetail).attempts.some(({ loss }) => loss !== null);
    if (!hasLoss) broken.push(`${taskId} was generated for nothing: ${JSON.stringify(body)}`);
  }
  return { ...findings, broken };
}

/** Waits until no job, no pending webhook and no result is left; returns what is left at last. */
async function waitUntilOver(env: SoakEnvironment): Promise<string[]> {
  for (const fromMs = monotonicMs(); ; await sleep(pollMs)) {
    const sample = await takeSample(env);
    const names = ['rows of jobs', 'pending deliveries', 'result bytes'];
    const left = names.filter((name) => sample[name] !== 0);
    if (left.length === 0) return [];
    if (monotonicMs() - fromMs > endMsMax) return left.map((name) => `there are still ${name}`);
  }
}

/**
 * The ends that a task may have. A cancel that was answered with 200 is binding, also while the
 * submit is under way: the provider may then generate what nobody pays for. After one without a
 * response, the task may have been cancelled or not. Otherwise the provider decides: what it
 * generated is charged, what was stopped there is refunded.
 */
function endsOf(
  end: 'completed' | 'failed' | 'cancelled',
  { cancel, upstreamEnd }: { cancel: CancelOutcome | undefined; upstreamEnd: string | undefined },
): readonly string[] {
  const completed = 'completed charged null';
  const failed = 'failed refunded provider_failed';
  const stopped = 'failed refunded cancelled';
  if (end === 'failed') return [failed];
  if (end === 'completed') return [completed];
  if (cancel === 'accepted') return [stopped];
  // Deleted at the provider before or after the service collected it.
  if (upstreamEnd === 'erased') return [stopped, failed, completed];
  if (upstreamEnd !== 'succeeded') return [stopped, failed];
  return cancel === 'unknown' ? [stopped, completed] : [completed];
}
