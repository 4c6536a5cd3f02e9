/**
 * Every test that uses a database, through PgBouncer in transaction mode: the service depends on no
 * session, and what it hears of others by notifications it finds out by itself, a little later.
 * And with no connection free: requests wait, are answered `internal_error`, and never hang.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { elapsedMs, sleep } from '../../../server/clock.ts';
import { lookAt, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { type Outcome, outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import { Cluster } from './cluster.ts';
import { Pooler } from './pgbouncer.ts';
import type { SuiteOutcome } from './suite.ts';
import { Watch } from './watch.ts';

/** Faster, and safe enough: this server is not crashed. */
const carelessSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
/** Longer than any statement is waited for, so that some are given up. */
const heldMs = 40_000;
const loadMs = 2000;

/** Tests in processes of their own, on the server with this address. */
async function runSuite(serverUrl: string, signal: AbortSignal): Promise<SuiteOutcome> {
  const child = fork(join(import.meta.dirname, 'suite.ts'), {
    env: { ...process.env, VIDGEN_TEST_DATABASE_URL: serverUrl },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let said = '';
  for await (const text of child.stdout!.setEncoding('utf8')) said = (said + text).slice(-100_000);
  signal.removeEventListener('abort', stop);
  return JSON.parse(said.trimEnd().split('\n').at(-1)!) as SuiteOutcome;
}

/** One connection for a whole service, and somebody holds it. */
async function exhaust(cluster: Cluster) {
  const pooler = await Pooler.start({ databasePort: cluster.port, connectionsMax: 1 });
  const installation = await Installation.open({ engine: 'postgres', serverUrl: pooler.url });
  try {
    await installation.start().serving();
    const { key } = await installation.account();
    const { clients, url, db } = installation;
    const watch = new Watch([url, url, url], [{ path: '/v1/credits', key }]);
    clients.start();
    await sleep(loadMs);
    await db!.transaction(async (tx) => {
      for (const fromMs = elapsedMs(); elapsedMs() - fromMs < heldMs; await sleep(loadMs)) {
        await tx.query('select 1');
      }
    });
    await sleep(loadMs);
    await clients.stop();
    const taskNumbers = [...clients.acknowledged.keys()];
    const expected = { taskNumbers, results: 'kept' } as const;
    await waitForEnd(installation, expected);
    await watch.stop();
    const found = await lookAt(installation, expected);
    const note = `with the only connection held for ${heldMs / 1000} s: ${watch.note}`;
    return { findings: { ...found, broken: [...found.broken, ...watch.takeTroubles()] }, note };
  } finally {
    await installation.close();
    await pooler.close();
  }
}

async function run({ say, signal }: ProofOrder): Promise<Outcome> {
  const settings = [...carelessSettings, 'max_connections=300'];
  const cluster = await Cluster.make({ settings });
  const pooler = await Pooler.start({ databasePort: cluster.port, connectionsMax: 20 });
  try {
    const { findings, note } = await exhaust(cluster);
    say(note);
    const suite = await runSuite(pooler.url, signal);
    const { passed, failed, skipped, files } = suite;
    const counted = `${files} files: ${passed} tests passed, ${failed} failed, ${skipped} skipped`;
    say(counted);
    const broken = [...findings.broken, ...suite.failures];
    return outcomeOf([{ ...findings, broken }], { runs: passed + failed, notes: [counted, note] });
  } finally {
    await pooler.close();
    await cluster.close();
  }
}

export const pooler: Proof = {
  name: 'pooler',
  title: 'the tests, through PgBouncer in transaction mode',
  failures: [8],
  unit: 'tests',
  runs: 1,
  needs: ['pgbouncer'],
  run,
};
