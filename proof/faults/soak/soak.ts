/**
 * A soak run: the service under steady load while its processes and its database are killed again
 * and again. Every acknowledged task must end as planned, and nothing may grow without end.
 */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { monotonicMs, sleep, startInterval } from '../../../server/process/clock.ts';
import { newAdministrator, openBrowserSession } from '../../kit/people.ts';
import { clientOf } from '../../kit/service.ts';
import { type Findings, findingViolations } from '../fault-test.ts';
import { brokenChecks, inspectTasks } from '../findings.ts';
import { type CancelOutcome, SoakCustomers } from './customers.ts';
import { openSoakEnvironment, type SoakEnvironment } from './environment.ts';
import { checkGrowth, type SoakSample, takeSample } from './growth.ts';
import { disturbancesFor, planOf } from './schedule.ts';

type SoakOptions = {
  readonly ms: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly log: (line: string) => void;
};

/** A shorter run ends before the service has warmed up, and has no growth checks. */
const growthCheckMsMin = 120_000;
const pollMs = 1000;
/** Generous: a busy machine is no lost task. */
const endMsMax = 600_000;

export async function soak(options: SoakOptions) {
  const { ms, perSecond, log } = options;
  const resultSeconds = Math.round(Math.min(60, Math.max(2, ms / 15_000)));
  const env = await openSoakEnvironment(options.seed, resultSeconds);
  const { clients, receiver } = env.installation;
  const customers = new SoakCustomers(env, { perSecond });
  const samples: SoakSample[] = [];
  const violations: string[] = [];
  const done = { audits: 0, kill: 0, stop: 0, database: 0 };
  try {
    const timers = [
      startInterval(Math.min(5000, Math.max(250, ms / 120)), async () => {
        samples.push(await takeSample(env));
      }),
      startInterval(Math.min(30_000, ms / 32), () => age(env, ms / 8000)),
      startInterval(Math.min(10_000, ms / 4), await otherCallers(env, { violations, done })),
    ];
    await disturb(options, env, done);
    for (const timer of timers) timer.stop();
    const growthChecks = ms < growthCheckMsMin ? [] : checkGrowth(samples);
    log('The load ends; waiting for all tasks to end and all results to expire.');
    await customers.stop();
    const findings = await reconcile(env, customers);
    const grown = growthChecks.filter(({ grows }) => grows);
    violations.push(
      ...findingViolations(findings),
      ...customers.violations,
      ...grown.map(({ what, before, after }) => `${what} grows: from ${before} to ${after}`),
    );
    return {
      findings,
      /** Empty when the run was too short. */
      growthChecks,
      lastSample: samples.at(-1) ?? {},
      /** One message per violation, growth included. */
      violations,
      counts: {
        'tasks acknowledged': clients.acknowledged.size,
        'tasks cancelled by their customers': customers.cancels.size,
        'results downloaded': customers.downloads,
        'webhooks received': receiver.webhooks.length,
        'invariant checks during the run': done.audits,
        'processes killed': done.kill,
        'processes stopped': done.stop,
        'databases killed': done.database,
      },
    };
  } finally {
    // The service first, so that waiting requests fail.
    await env[Symbol.asyncDispose]();
    await customers.abandon();
  }
}

/**
 * A person who signs in without signing out, a key that is used once, and the invariant checks. The
 * rows they leave must be deleted in time.
 */
async function otherCallers(
  { installation }: SoakEnvironment,
  { violations, done }: { violations: string[]; done: { audits: number } },
): Promise<() => Promise<void>> {
  const { admin, accounts, url } = installation;
  const { email, password } = await newAdministrator(installation);
  const callOnce = async () => {
    await openBrowserSession(url).post('/session', { email, password });
    const keys = `/admin/accounts/${accounts[0]!.id}/keys`;
    const { body: key } = await admin.post(keys, { name: 'Used once', mode: 'live' });
    await clientOf(url, String(key.key)).create({ model: 'a boat' });
    await admin.send('DELETE', `/admin/keys/${key.id}`);
    const { status, body } = await admin.get('/admin/audit');
    if (status !== 200) return;
    done.audits += 1;
    violations.push(...brokenChecks(body).map((one) => `during the run: ${one}`));
  };
  // While the database is away there is no response; rows must be deleted all the same.
  return () => callOnce().catch(() => {});
}

/** Longer than a create is repeated with its key. */
const ageSecondsMin = 10;

/**
 * Makes idempotency keys and sessions older in the database, since a run is shorter than the day
 * and the week after which they expire.
 */
async function age({ installation }: SoakEnvironment, seconds: number): Promise<void> {
  const old = `between now() - interval '1 hour' and now() - make_interval(secs => $1)`;
  const agedSeconds = Math.min(120, Math.max(ageSecondsMin, seconds));
  for (const statement of [
    `update idempotency_keys set created_at = created_at - interval '26 hours'
      where created_at ${old}`,
    `update sessions set last_used_at = last_used_at - interval '8 days'
      where last_used_at ${old}`,
  ]) {
    await installation.db.query(statement, [agedSeconds]).catch(() => {});
  }
}

/** Runs each disturbance at its time, or later when the one before took long. */
async function disturb(
  { ms, seed, log }: SoakOptions,
  env: SoakEnvironment,
  done: Record<'kill' | 'stop' | 'database', number>,
): Promise<void> {
  const fromMs = monotonicMs();
  for (const one of disturbancesFor(seed, ms)) {
    await sleep(Math.max(0, one.atMs - (monotonicMs() - fromMs)));
    done[one.kind] += 1;
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
  const { seed } = env;
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
