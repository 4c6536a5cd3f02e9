/**
 * Revokes a key at one process while another receives no notifications, as behind a firewall that
 * drops its LISTEN connection. The second process must reject the key within the five seconds that
 * the operator interface promises.
 * Thorough: a sample of a long fault test.
 */
import { between, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import { faultTest, noFindings, runRepeatedly } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { TcpProxy } from './tcp-proxy.ts';

const secondsMax = 5;
const readyMs = { from: 0, to: 1000 };

faultTest('a key is revoked, and no notification arrives', {
  sample: 1,
  acknowledgesNone: true,
  async run(options) {
    const random = randomFrom(options.seed);
    await using cluster = await Cluster.make();
    await using proxy = await TcpProxy.open({ to: cluster.port });
    await using installation = await Installation.open({ serverUrl: cluster.url });
    await installation.start({ role: 'api' }).waitUntilServing();
    const environment = { VIDGEN_DATABASE_URL: proxy.proxyUrl(installation.databaseUrl) };
    const port = await reservePort();
    const isolated = installation.start({ role: 'api', port, environment });
    await isolated.waitUntilServing();
    proxy.dropNotifications();
    let slowest = 0;
    const revokeOnce = async () => {
      await sleep(between(random, readyMs));
      const seconds = await secondsUntilRejected(installation, isolated);
      slowest = Math.max(slowest, seconds);
      const broken = seconds > secondsMax ? [`rejected after ${seconds.toFixed(2)} s`] : [];
      return { ...noFindings, broken };
    };
    return await runRepeatedly(options, revokeOnce, () => [
      `a revoked key was rejected after at most ${slowest.toFixed(2)} s`,
    ]);
  },
});

/** How long a revoked key still works at the process without notifications. */
async function secondsUntilRejected(
  { admin, url }: Installation,
  isolated: ServiceProcess,
): Promise<number> {
  const { key, keyId } = await makeAccount(url, admin, { live: 100 });
  const client = clientOf(isolated.url, key);
  if ((await client.get('/v1/credits')).status !== 200) throw new Error('the key never worked');
  const revoked = await admin.send('DELETE', `/admin/keys/${keyId}`);
  if (revoked.status !== 204) throw new Error(`not revoked: ${revoked.status}`);
  const fromMs = monotonicMs();
  while ((await client.get('/v1/credits')).status !== 401);
  return (monotonicMs() - fromMs) / 1000;
}
