/**
 * Every test that uses a database, through PgBouncer in transaction mode: the service depends on no
 * session, and what it hears of others by notifications it finds out by itself, a little later.
 * And with no connection free: requests wait, are answered `internal_error`, and never hang.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { Cluster } from './cluster.ts';
import { Pooler } from './pgbouncer.ts';
import type { SuiteResult } from './suite.ts';
import { Watch } from './watch.ts';

/** Faster, and safe enough: this server is not crashed. */
const carelessSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
/** Longer than any statement is waited for, so that some are given up. */
const heldMs = 40_000;
const loadMs = 2000;

/** Tests in processes of their own, on the server with this address. */
async function runSuite(serverUrl: string, signal: AbortSignal): Promise<SuiteResult> {
  const child = fork(join(import.meta.dirname, 'suite.ts'), {
    env: { ...process.env, VIDGEN_TEST_DATABASE_URL: serverUrl },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let output = '';
  for await (const text of child.stdout!.setEncoding('utf8'))
    output = (output + text).slice(-100_000);
  signal.removeEventListener('abort', stop);
  return JSON.parse(output.trimEnd().split('\n').at(-1)!) as SuiteResult;
}

/** One connection for a whole service, and somebody holds it. */
async function exhaust(cluster: Cluster) {
  const pooler = await Pooler.start({ databasePort: cluster.port, connectionsMax: 1 });
  const installation = await Installation.open({ engine: 'postgres', serverUrl: pooler.url });
  try {
    await installation.start().waitUntilServing();
    const { key } = await installation.account();
    const { clients, url, db } = installation;
    const watch = new Watch([url, url, url], [{ path: '/v1/credits', key }]);
    clients.start();
    await sleep(loadMs);
    await db!.transaction(async (tx) => {
      for (const fromMs = monotonicMs(); monotonicMs() - fromMs < heldMs; await sleep(loadMs)) {
        await tx.query('select 1');
      }
    });
    await sleep(loadMs);
    await clients.stop();
    const taskNumbers = [...clients.acknowledged.keys()];
    const expected = { taskNumbers, results: 'kept' } as const;
    await waitForEnd(installation, expected);
    await watch.stop();
    const found = await inspectTasks(installation, expected);
    const note = `with the only connection held for ${heldMs / 1000} s: ${watch.summary}`;
    return { findings: { ...found, broken: [...found.broken, ...watch.takeViolations()] }, note };
  } finally {
    await installation.close();
    await pooler.close();
  }
}

async function run({ log, signal }: FaultTestOptions): Promise<FaultTestResult> {
  const settings = [...carelessSettings, 'max_connections=300'];
  const cluster = await Cluster.make({ settings });
  const pooler = await Pooler.start({ databasePort: cluster.port, connectionsMax: 20 });
  try {
    const { findings, note } = await exhaust(cluster);
    log(note);
    const suite = await runSuite(pooler.url, signal);
    const { passed, failed, skipped, files } = suite;
    const counted = `${files} files: ${passed} tests passed, ${failed} failed, ${skipped} skipped`;
    log(counted);
    const broken = [...findings.broken, ...suite.failures];
    return combineFindings([{ ...findings, broken }], {
      runs: passed + failed,
      notes: [counted, note],
    });
  } finally {
    await pooler.close();
    await cluster.close();
  }
}

export const pooler: FaultTest = {
  name: 'pooler',
  title: 'the tests, through PgBouncer in transaction mode',
  failures: [8],
  unit: 'tests',
  runs: 1,
  requirements: ['pgbouncer'],
  run,
};
