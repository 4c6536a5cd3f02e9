/**
 * A deployment under load: stops two processes behind a load balancer with SIGTERM and starts them
 * again, one after the other. No create fails, and every stop succeeds.
 * Thorough: a sample of a long fault test.
 */
import { sleep } from '../../../server/process/clock.ts';
import { faultTest, noFindings, resultOf, runRepeatedly } from '../fault-test.ts';
import { inspectEnd, leaseViolations } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort } from '../service-process.ts';
import { Balancer } from './balancer.ts';

const betweenMs = 300;

faultTest('a rolling restart by SIGTERM under load, two processes behind a balancer', {
  sample: 2,
  async run(options) {
    await using installation = await Installation.open();
    const ports = [await reservePort(), await reservePort()];
    const start = async (port: number) => {
      const process = installation.start({ port });
      await process.waitUntilServing();
      return process;
    };
    const processes = [await start(ports[0]!), await start(ports[1]!)];
    await using balancer = await Balancer.open({ port: installation.port, to: ports });
    await installation.account();
    installation.clients.start();
    const { runs, violations } = await runRepeatedly(options, async (nth) => {
      const at = nth % ports.length;
      await sleep(betweenMs);
      const broken = await processes[at]!.stopViolations();
      processes[at] = await start(ports[at]!);
      return { ...noFindings, broken };
    });
    await installation.clients.stop();
    const findings = await inspectEnd(installation);
    const { failed, requests, retries } = balancer;
    return resultOf([findings], {
      runs,
      violations: [...violations, ...(await leaseViolations(installation)), ...failed],
      notes: [
        `${requests} requests went through the balancer, ${retries} of them to the second ` +
          `process after the first did not respond; ${failed.length} failed.`,
      ],
    });
  },
});
