/**
 * One account has a million tasks waiting, and fifty small ones come along. Claiming takes one of
 * each account in every round, and neither creating nor asking is slower for the crowd.
 */
import { elapsedMs, sleep } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { audit } from '../../../server/ledger/audit.ts';
import { claim, promoteDue, release } from '../../../server/queue/queue.ts';
import { defaultWorkerSettings, sharesOf } from '../../../server/worker/worker.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { type Client, makeAccount } from '../../kit/service.ts';
import { Installation } from '../installation.ts';
import type { Outcome, Proof, ProofOrder } from '../proof.ts';
import { timesSentence } from '../quantile.ts';
import { fillWaiting } from './fill.ts';

type Small = { readonly id: string; readonly client: Client };
type Measured = { readonly creates: number[]; readonly looks: number[]; readonly claims: number[] };

const smallAccounts = 50;
const createsEach = 4;
const roundsMax = 100;
/** A small crowd is claimed from less often. */
const tasksARound = 200;
const askersMax = 5;
const lookMs = 100;
const startedMsMax = 300_000;

export const crowd: Proof = {
  name: 'crowd',
  title: 'one account has a million tasks waiting, and fifty small ones come along',
  failures: [26, 27],
  unit: 'tasks waiting',
  runs: 1_000_000,
  needs: [],
  async run(order) {
    const server = await startPostgres({ durable: true });
    const installation = await Installation.open({
      engine: 'postgres',
      serverUrl: server.url,
      percentLost: { done: 0, notDone: 0 },
    });
    try {
      return await comeAlong(order, installation);
    } finally {
      await installation.close();
      await server.stop();
    }
  },
};

async function comeAlong(order: ProofOrder, installation: Installation): Promise<Outcome> {
  const { url, admin } = installation;
  const db = installation.db!;
  await installation.start({ role: 'api' }).serving();
  const small: Small[] = [];
  while (small.length < smallAccounts) small.push(await makeAccount(url, admin, { live: 100 }));
  const rounds = Math.min(roundsMax, Math.ceil(order.runs / tasksARound));
  const sentences: string[] = [];
  const measure = async (when: string): Promise<string> => {
    const { measured, starved } = await askAll(db, small, { rounds });
    sentences.push(...starved.map((sentence) => `${when}: ${sentence}`));
    const { creates, looks, claims } = measured;
    const said =
      `${when}: create ${timesSentence(creates)}, status ${timesSentence(looks)}, ` +
      `claim of a round ${timesSentence(claims)}.`;
    order.say(said);
    return said;
  };

  const alone = await measure('Without a crowd');
  const noisy = await makeAccount(url, admin, { live: order.runs });
  const fromMs = elapsedMs();
  await fillWaiting(db, { accountId: noisy.id, keyId: noisy.keyId, tasks: order.runs });
  order.say(`filled in ${Math.round((elapsedMs() - fromMs) / 1000)} s`);
  const beside = await measure(`With ${order.runs.toLocaleString('en')} tasks waiting`);
  const { seconds, waiting } = await startAll(installation, small);
  const { checks } = await audit(db);
  const broken = checks.filter(({ ok }) => !ok).map(({ name }) => `the audit: ${name}`);
  if (waiting > 0) sentences.push(`${waiting} tasks of small accounts were not started`);
  const none = { lost: 0, doubled: 0, unfinished: waiting };
  return {
    runs: order.runs,
    acknowledged: 2 * smallAccounts * createsEach,
    ...none,
    broken: broken.length,
    violations: [...sentences, ...broken],
    notes: [
      alone,
      beside,
      `A worker that then came had started every task of the small accounts after ${seconds} s.`,
    ],
  };
}

/** Every small account creates and asks; then claims, as a worker makes them. */
async function askAll(db: Database, small: readonly Small[], { rounds }: { rounds: number }) {
  const measured: Measured = { creates: [], looks: [], claims: [] };
  const errands = Array.from({ length: createsEach }, () => small).flat();
  const ask = async () => {
    for (let one = errands.pop(); one; one = errands.pop()) await askOnce(one.client, measured);
  };
  await Promise.all(Array.from({ length: askersMax }, ask));
  const starved: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const fromMs = elapsedMs();
    await promoteDue(db);
    const lane = 'work';
    const jobs = await claim(db, {
      ...{ owner: 'a worker of the crowd', lane, suspectToo: true },
      jobsMax: defaultWorkerSettings.slots[lane],
      ...sharesOf(lane, defaultWorkerSettings),
    });
    measured.claims.push(elapsedMs() - fromMs);
    const served = new Set(jobs.map(({ accountId }) => accountId));
    const missing = small.filter(({ id }) => !served.has(id)).length;
    if (missing > 0) starved.push(`round ${round} passed over ${missing} of the small accounts`);
    await release(db, jobs);
  }
  return { measured, starved };
}

async function askOnce(client: Client, { creates, looks }: Measured): Promise<void> {
  const createMs = elapsedMs();
  const { status, body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A small paper boat among many', resolution: '480p', duration: 5 },
  });
  creates.push(elapsedMs() - createMs);
  if (status !== 200) throw new Error(`a small account could not create: ${JSON.stringify(body)}`);
  const lookFromMs = elapsedMs();
  await client.get(`/v1/tasks/${body.taskId}`);
  looks.push(elapsedMs() - lookFromMs);
}

/** With a real worker: how long until no small account waits, and how many do at the end. */
async function startAll(installation: Installation, small: readonly Small[]) {
  const db = installation.db!;
  const worker = installation.start({ role: 'worker' });
  const fromMs = elapsedMs();
  const count = async () => {
    const { rows } = await db.query<{ waiting: number }>(
      `select count(*) as waiting from tasks
       where account_id = any($1::uuid[]) and status = 'queued'`,
      [small.map(({ id }) => id)],
    );
    return rows[0]!.waiting;
  };
  let waiting = await count();
  while (waiting > 0 && elapsedMs() - fromMs < startedMsMax) {
    await sleep(lookMs);
    waiting = await count();
  }
  const seconds = ((elapsedMs() - fromMs) / 1000).toFixed(1);
  await worker.stop();
  return { seconds, waiting };
}
