/**
 * A key is revoked at one process while the other hears no notification: its channel is cut off,
 * silently, as behind a firewall. It refuses the key all the same, within the five seconds that the
 * operator interface promises, and nothing is accepted with it from then on.
 */
import { between, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { TcpProxy } from './tcp-proxy.ts';

const secondsMax = 5;
const readyMs = { from: 0, to: 1000 };

type RevokedKeyFixture = { readonly installation: Installation; readonly isolated: ServiceProcess };

/** How long a revoked key went on working at the process that does not hear of it. */
async function secondsUntilRejected({
  installation,
  isolated,
}: RevokedKeyFixture): Promise<number> {
  const { admin, url } = installation;
  const { key, keyId } = await makeAccount(url, admin, { live: 100 });
  const client = clientOf(isolated.url, key);
  if ((await client.get('/v1/credits')).status !== 200) throw new Error('the key never worked');
  const revoked = await admin.send('DELETE', `/admin/keys/${keyId}`);
  if (revoked.status !== 204) throw new Error(`not revoked: ${revoked.status}`);
  const fromMs = monotonicMs();
  while ((await client.get('/v1/credits')).status !== 401);
  return (monotonicMs() - fromMs) / 1000;
}

/** Another api of the installation, which hears of its database whatever it asks for, no more. */
async function startIsolated(installation: Installation, proxy: TcpProxy): Promise<ServiceProcess> {
  const { rows } = await installation.db!.query<{ name: string }>(
    'select current_database() as name',
  );
  const url = `postgres://vidgen@127.0.0.1:${proxy.port}/${rows[0]!.name}`;
  const port = await reservePort();
  const environment = { VIDGEN_DATABASE_URL: url };
  const isolated = installation.start({ role: 'api', port, environment });
  await isolated.waitUntilServing();
  proxy.dropNotifications();
  return isolated;
}

async function run({
  runs,
  seed,
  log,
  saveProgress,
  signal,
}: FaultTestOptions): Promise<FaultTestResult> {
  const random = randomFrom(seed);
  const cluster = await Cluster.make();
  const installation = await Installation.open({ engine: 'postgres', serverUrl: cluster.url });
  const proxy = await TcpProxy.open({ to: cluster.port });
  const seconds: number[] = [];
  const currentResult = () => {
    const slowest = Math.max(0, ...seconds).toFixed(2);
    const late = seconds.filter((one) => one > secondsMax);
    const broken = late.map((one) => `refused only after ${one.toFixed(2)} s`);
    const nothing = { acknowledged: 0, lost: [], doubled: [], unfinished: [] };
    const note = `a revoked key was refused after at most ${slowest} s`;
    return combineFindings([{ ...nothing, broken }], { runs: seconds.length, notes: [note] });
  };
  try {
    await installation.start({ role: 'api' }).waitUntilServing();
    const isolated = await startIsolated(installation, proxy);
    while (seconds.length < runs && !signal.aborted) {
      await sleep(between(random, readyMs));
      seconds.push(await secondsUntilRejected({ installation, isolated }));
      saveProgress(currentResult());
      log(`${seconds.length} of ${runs}: refused after ${seconds.at(-1)!.toFixed(2)} s`);
    }
    return currentResult();
  } finally {
    await installation.close();
    await proxy.close();
    await cluster.close();
  }
}

export const revokedKey: FaultTest = {
  name: 'revoked-key',
  title: 'a key is revoked, and no notification arrives',
  failures: [29],
  unit: 'revocations',
  runs: 20,
  requirements: [],
  run,
};
