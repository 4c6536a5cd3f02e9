/**
 * Runs every test with a database through PgBouncer in transaction mode: the service depends on no
 * session, and finds by polling what notifications would tell it. Also runs a service with no free
 * connection: requests wait, are answered `internal_error`, and never hang.
 * Thorough: a sample of a long fault test.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { type Findings, faultTest, resultOf } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { Cluster } from './cluster.ts';
import { Pooler } from './pgbouncer.ts';
import type { SuiteResult } from './suite.ts';
import { Watch } from './watch.ts';

/** Fast and unsafe: this server is never crashed. */
const unsafeSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
/** Longer than any statement timeout, so that some statements are given up. */
const heldMs = 40_000;
const loadMs = 2000;

faultTest('the tests, through PgBouncer in transaction mode', {
  sample: 0,
  requirements: ['pgbouncer'],
  async run({ log, signal }) {
    const settings = [...unsafeSettings, 'max_connections=300'];
    await using cluster = await Cluster.make({ settings });
    const { port: databasePort } = cluster;
    await using shared = await Pooler.start({ databasePort, connectionsMax: 20 });
    await using single = await Pooler.start({ databasePort, connectionsMax: 1 });
    const { findings, note } = await exhaust(single);
    log(note);
    const suite = await runSuite(shared.url, signal);
    const { passed, failed, skipped, files } = suite;
    const counted = `${files} files: ${passed} tests passed, ${failed} failed, ${skipped} skipped`;
    log(counted);
    const broken = [...findings.broken, ...suite.failures];
    return resultOf([{ ...findings, broken }], { runs: passed + failed, notes: [counted, note] });
  },
});

/** Holds the only connection of a whole service for longer than any request may wait. */
async function exhaust(single: Pooler): Promise<{ findings: Findings; note: string }> {
  await using installation = await Installation.open({ serverUrl: single.url });
  const service = installation.start();
  await service.waitUntilServing();
  await using watch = await Watch.start(installation, [service, service, service]);
  installation.clients.start();
  await sleep(loadMs);
  await installation.db.transaction(async (tx) => {
    for (const fromMs = monotonicMs(); monotonicMs() - fromMs < heldMs; await sleep(loadMs)) {
      await tx.query('select 1');
    }
  });
  await sleep(loadMs);
  await installation.clients.stop();
  const findings = watch.addViolations(await inspectEnd(installation));
  const note = `with the only connection held for ${heldMs / 1000} s: ${watch.notes.join('; ')}`;
  return { findings, note };
}

/** Runs the tests in processes of their own, on this server. */
async function runSuite(serverUrl: string, signal: AbortSignal): Promise<SuiteResult> {
  const child = fork(join(import.meta.dirname, 'suite.ts'), {
    env: { ...process.env, VIDGEN_TEST_DATABASE_URL: serverUrl },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let output = '';
  for await (const text of child.stdout!.setEncoding('utf8')) {
    output = (output + text).slice(-100_000);
  }
  signal.removeEventListener('abort', stop);
  return JSON.parse(output.trimEnd().split('\n').at(-1)!) as SuiteResult;
}
