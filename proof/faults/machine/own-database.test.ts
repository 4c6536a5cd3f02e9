/**
 * A rolling restart of two processes that share the own database of a home directory: no request
 * fails, although the database server moves with every restart.
 * Thorough: starts services that take over from one another.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { textToVideo } from '../../kit/journey.ts';
import { clientOf, makeAccount, testAdminToken } from '../../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { reservePort, ServiceProcess } from '../service-process.ts';
import { Balancer } from './balancer.ts';

const restarts = 6;
const clients = 8;

test('a rolling restart on the own database fails no request', async (t) => {
  const home = makeTemporaryFolder('rolling');
  t.after(() => deleteFolder(home));
  const ports = [await reservePort(), await reservePort()];
  const start = async (port: number) => {
    const environment = {
      VIDGEN_HOME: home,
      VIDGEN_ROLE: 'api',
      PORT: String(port),
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_RATE_CREATE: '0',
      VIDGEN_RATE_STATUS: '0',
      VIDGEN_LOG_LEVEL: 'error',
    };
    const process = new ServiceProcess({ environment, logFile: join(home, 'processes.log') });
    await process.waitUntilServing();
    return process;
  };
  const processes = [await start(ports[0]!), await start(ports[1]!)];
  t.after(() => Promise.all(processes.map((process) => process.kill())));
  const port = await reservePort();
  await using balancer = await Balancer.open({ port, to: ports });
  const url = `http://127.0.0.1:${port}`;
  const admin = clientOf(url, testAdminToken);
  const { client } = await makeAccount(url, admin, { live: 1_000_000 });
  let isRunning = true;
  const load = Array.from({ length: clients }, async () => {
    while (isRunning) {
      const { body } = await client.create(textToVideo);
      await client.get(`/v1/tasks/${body.taskId}`);
      await client.get('/v1/credits');
      await admin.get('/admin/accounts');
    }
  });
  for (let nth = 0; nth < restarts; nth++) {
    const at = nth % ports.length;
    assert.deepEqual(await processes[at]!.stopViolations(), []);
    processes[at] = await start(ports[at]!);
  }
  isRunning = false;
  await Promise.all(load);
  t.diagnostic(`${balancer.requests} requests`);
  assert.deepEqual(balancer.failed, []);
});
