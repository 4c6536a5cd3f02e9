/**
 * One account has a million tasks waiting, and fifty small ones come along. Claiming takes one of
 * each account in every round, and neither creating nor asking is slower for the crowd.
 */
import { monotonicMs, sleep } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { checkInvariants } from '../../../server/lifecycle/invariants.ts';
import { claim, promoteDue } from '../../../server/queue/claim.ts';
import { release } from '../../../server/queue/outcome.ts';
import { claimLimits, defaultWorkerSettings } from '../../../server/worker/worker-settings.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { type Client, makeAccount } from '../../kit/service.ts';
import type { FaultTest, FaultTestOptions, FaultTestResult } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { timesSentence } from '../quantile.ts';
import { fillBacklog } from './fill.ts';

type Small = { readonly id: string; readonly client: Client };
type Latencies = {
  readonly creates: number[];
  readonly statusReads: number[];
  readonly claims: number[];
};

const smallAccounts = 50;
const createsEach = 4;
const roundsMax = 100;
/** A small crowd is claimed from less often. */
const tasksARound = 200;
const clientsMax = 5;
const pollMs = 100;
const startedMsMax = 300_000;

export const millionTaskBacklog: FaultTest = {
  name: 'crowd',
  title: 'one account has a million tasks waiting, and fifty small ones come along',
  failures: [26, 27],
  unit: 'tasks waiting',
  runs: 1_000_000,
  requirements: [],
  async run(options) {
    const server = await startPostgres({ durable: true });
    const installation = await Installation.open({
      engine: 'postgres',
      serverUrl: server.url,
      percentLost: { done: 0, notDone: 0 },
    });
    try {
      return await measureFairness(options, installation);
    } finally {
      await installation.close();
      await server.stop();
    }
  },
};

async function measureFairness(
  options: FaultTestOptions,
  installation: Installation,
): Promise<FaultTestResult> {
  const { url, admin } = installation;
  const db = installation.db!;
  await installation.start({ role: 'api' }).waitUntilServing();
  const small: Small[] = [];
  while (small.length < smallAccounts) small.push(await makeAccount(url, admin, { live: 100 }));
  const rounds = Math.min(roundsMax, Math.ceil(options.runs / tasksARound));
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

  const alone = await measure('Without a crowd');
  const noisy = await makeAccount(url, admin, { live: options.runs });
  const fromMs = monotonicMs();
  await fillBacklog(db, { accountId: noisy.id, keyId: noisy.keyId, tasks: options.runs });
  options.log(`filled in ${Math.round((monotonicMs() - fromMs) / 1000)} s`);
  const beside = await measure(`With ${options.runs.toLocaleString('en')} tasks waiting`);
  const { seconds, waiting } = await startAll(installation, small);
  const { checks } = await checkInvariants(db);
  const broken = checks.filter(({ ok }) => !ok).map(({ name }) => `the audit: ${name}`);
  if (waiting > 0) violations.push(`${waiting} tasks of small accounts were not started`);
  const none = { lost: 0, doubled: 0, unfinished: waiting };
  return {
    runs: options.runs,
    acknowledged: 2 * smallAccounts * createsEach,
    ...none,
    broken: broken.length,
    violations: [...violations, ...broken],
    notes: [
      alone,
      beside,
      `A worker that then came had started every task of the small accounts after ${seconds} s.`,
    ],
  };
}

/** Every small account creates and asks; then claims, as a worker makes them. */
async function requestAll(db: Database, small: readonly Small[], { rounds }: { rounds: number }) {
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
    const queue = 'work';
    const jobs = await claim(db, {
      ...{ owner: 'a worker of the crowd', queue, includeIsolated: true },
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

/** With a real worker: how long until no small account waits, and how many do at the end. */
async function startAll(installation: Installation, small: readonly Small[]) {
  const db = installation.db!;
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
