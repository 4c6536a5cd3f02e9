/**
 * One account has a million queued tasks, and fifty small accounts create a few. Each claim takes
 * jobs of every account, and creates and reads of the small accounts are measured with and without
 * the backlog.
 * Thorough: a sample of a long fault test.
 */

import type { Database } from '../../../server/database/database.ts';
import { checkInvariants } from '../../../server/lifecycle/checks/invariants.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { claim, promoteDue } from '../../../server/queue/claim.ts';
import { release } from '../../../server/queue/outcome.ts';
import { claimLimits, defaultWorkerSettings } from '../../../server/worker/worker-settings.ts';
import { type Client, makeAccount } from '../../kit/service.ts';
import { type FaultTestOptions, faultTest, noFindings, resultOf } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { timesSentence } from '../quantile.ts';
import { loseNone } from '../upstream.ts';
import { fillBacklog } from './fill.ts';

type SmallAccount = { readonly id: string; readonly client: Client };
type Latencies = {
  readonly creates: number[];
  readonly statusReads: number[];
  readonly claims: number[];
};

const smallAccounts = 50;
const createsEach = 4;
const roundsMax = 100;
/** A small backlog gets fewer rounds of claims. */
const tasksPerRound = 200;
const clientsMax = 5;
const pollMs = 100;
const startedMsMax = 300_000;

faultTest('one account has a million tasks waiting, and fifty small ones come along', {
  sample: 5000,
  async run(options) {
    await using installation = await Installation.open({
      durable: true,
      upstream: { lostPercent: loseNone },
    });
    return await measureFairness(options, installation);
  },
});

async function measureFairness(options: FaultTestOptions, installation: Installation) {
  const { url, admin } = installation;
  const db = installation.db;
  await installation.start({ role: 'api' }).waitUntilServing();
  const small: SmallAccount[] = [];
  while (small.length < smallAccounts) small.push(await makeAccount(url, admin, { live: 100 }));
  const rounds = Math.min(roundsMax, Math.ceil(options.runs / tasksPerRound));
  const violations: string[] = [];
  const measure = async (when: string): Promise<string> => {
    const { measured, starved } = await requestAll(db, small, { rounds });
    violations.push(...starved.map((violation) => `${when}: ${violation}`));
    const { creates, statusReads, claims } = measured;
    const summary =
      `${when}: create ${timesSentence(creates)}, status ${timesSentence(statusReads)}, ` +
      `claim of a round ${timesSentence(claims)}.`;
    options.log(summary);
    return summary;
  };

  const alone = await measure('Without a backlog');
  const noisy = await makeAccount(url, admin, { live: options.runs });
  const fromMs = monotonicMs();
  await fillBacklog(db, { accountId: noisy.id, keyId: noisy.keyId, tasks: options.runs });
  options.log(`filled in ${Math.round((monotonicMs() - fromMs) / 1000)} s`);
  const beside = await measure(`With ${options.runs.toLocaleString('en')} tasks waiting`);
  const { seconds, waiting } = await startAll(installation, small);
  const { checks } = await checkInvariants(db);
  const broken = checks.filter(({ ok }) => !ok).map(({ name }) => `invariant: ${name}`);
  const unfinished = waiting > 0 ? [`${waiting} tasks of small accounts were not started`] : [];
  const started = `A worker started every task of the small accounts within ${seconds} s.`;
  const acknowledged = 2 * smallAccounts * createsEach;
  return resultOf([{ ...noFindings, acknowledged, unfinished, broken }], {
    runs: options.runs,
    violations,
    notes: [alone, beside, started],
  });
}

/** Every small account creates and reads; then jobs are claimed as a worker claims them. */
async function requestAll(
  db: Database,
  small: readonly SmallAccount[],
  { rounds }: { rounds: number },
) {
  const measured: Latencies = { creates: [], statusReads: [], claims: [] };
  const pending = Array.from({ length: createsEach }, () => small).flat();
  const sendNext = async () => {
    for (let one = pending.pop(); one; one = pending.pop()) await requestOnce(one.client, measured);
  };
  await Promise.all(Array.from({ length: clientsMax }, sendNext));
  const starved: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const fromMs = monotonicMs();
    await promoteDue(db);
    const queue = 'default';
    const jobs = await claim(db, {
      ...{ owner: 'fault test', queue, includeIsolated: true },
      jobsMax: defaultWorkerSettings.slots[queue],
      ...claimLimits(queue, defaultWorkerSettings),
    });
    measured.claims.push(monotonicMs() - fromMs);
    const served = new Set(jobs.map(({ accountId }) => accountId));
    const missing = small.filter(({ id }) => !served.has(id)).length;
    if (missing > 0) starved.push(`round ${round} passed over ${missing} of the small accounts`);
    await release(db, jobs);
  }
  return { measured, starved };
}

async function requestOnce(client: Client, { creates, statusReads }: Latencies): Promise<void> {
  const createMs = monotonicMs();
  const { status, body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A small paper boat among many', resolution: '480p', duration: 5 },
  });
  creates.push(monotonicMs() - createMs);
  if (status !== 200) throw new Error(`a small account could not create: ${JSON.stringify(body)}`);
  const readFromMs = monotonicMs();
  await client.get(`/v1/tasks/${body.taskId}`);
  statusReads.push(monotonicMs() - readFromMs);
}

/** Starts a worker and measures how long the tasks of the small accounts stay queued. */
async function startAll(installation: Installation, small: readonly SmallAccount[]) {
  const db = installation.db;
  const worker = installation.start({ role: 'worker' });
  const fromMs = monotonicMs();
  const count = async () => {
    const { rows } = await db.query<{ waiting: number }>(
      `select count(*) as waiting from tasks
       where account_id = any($1::uuid[]) and status = 'queued'`,
      [small.map(({ id }) => id)],
    );
    return rows[0]!.waiting;
  };
  let waiting = await count();
  while (waiting > 0 && monotonicMs() - fromMs < startedMsMax) {
    await sleep(pollMs);
    waiting = await count();
  }
  const seconds = ((monotonicMs() - fromMs) / 1000).toFixed(1);
  await worker.stop();
  return { seconds, waiting };
}
