/**
 * A deployment under load: stops two API processes behind a load balancer with SIGTERM and starts
 * them again, one after the other. No request fails, and every stop succeeds, also on the own
 * database of a home directory, whose server moves with every restart.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { sleep } from '../../../server/process/clock.ts';
import { faultTest, requireRight } from '../fault-test.ts';
import { inspectEnd, leaseViolations } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort } from '../service-process.ts';
import { Balancer } from './balancer.ts';

const betweenMs = 300;
const databases = { 'a PostgreSQL server': {}, 'the own database': { VIDGEN_DATABASE_URL: '' } };

for (const [database, environment] of Object.entries(databases)) {
  faultTest(`a rolling restart by SIGTERM under load, on ${database}`, {
    sample: 2,
    async run({ runs }) {
      await using installation = await Installation.open({ environment });
      const ports = [await reservePort(), await reservePort()];
      const start = async (port: number) => {
        const process = installation.start({ role: 'api', port });
        await process.waitUntilServing();
        return process;
      };
      const processes = [await start(ports[0]!), await start(ports[1]!)];
      const worker = installation.start({ role: 'worker' });
      await using balancer = await Balancer.open({ port: installation.port, to: ports });
      await installation.account();
      installation.clients.start();
      for (let nth = 0; nth < runs; nth++) {
        const at = nth % ports.length;
        await sleep(betweenMs);
        assert.deepEqual(await processes[at]!.stopViolations(), []);
        processes[at] = await start(ports[at]!);
      }
      await installation.clients.stop();
      assert.deepEqual([...(await leaseViolations(installation)), ...balancer.failed], []);
      return requireRight(await inspectEnd(installation, { staying: [worker] }));
    },
  });
}
