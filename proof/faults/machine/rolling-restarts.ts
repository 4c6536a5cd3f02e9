/**
 * A deployment under load: two processes behind a balancer are stopped with SIGTERM and started
 * again, one after the other. No create fails, and every stop ends well.
 */
import { sleep } from '../../../server/clock.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { combineFindings, type FaultTest } from '../fault-test.ts';
import { type Findings, inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Balancer } from './balancer.ts';
import { leasesLost } from './rescues.ts';

const betweenMs = 300;

export const rollingRestarts: FaultTest = {
  name: 'rolling-restarts',
  title: 'a rolling restart by SIGTERM under load, two processes behind a balancer',
  failures: [5],
  unit: 'restarts',
  runs: 30,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    try {
      await using roll = await Roll.open(server.url);
      const violations: string[] = [];
      let restarts = 0;
      for (; restarts < options.runs && !options.signal.aborted; restarts++) {
        const seen = await roll.restart(restarts);
        violations.push(...seen);
        options.log(`${restarts + 1}/${options.runs}`);
        for (const violation of seen) options.log(`  ✖ ${violation}`);
      }
      const { findings, failed, counts } = await roll.end();
      const result = combineFindings([findings], { runs: restarts });
      const { requests, retries } = counts;
      return {
        ...result,
        violations: [...result.violations, ...violations, ...failed],
        notes: [
          `${requests} requests went through the balancer, ${retries} of them to the second ` +
            `process after the first did not answer; ${failed.length} failed.`,
        ],
      };
    } finally {
      await server.stop();
    }
  },
};

/** A held resource: an installation, two processes on ports of their own, and the balancer. */
export class Roll implements AsyncDisposable {
  readonly #installation: Installation;
  readonly #balancer: Balancer;
  readonly #ports: readonly number[];
  readonly #processes: ServiceProcess[];

  private constructor(parts: {
    installation: Installation;
    balancer: Balancer;
    ports: readonly number[];
    processes: ServiceProcess[];
  }) {
    this.#installation = parts.installation;
    this.#balancer = parts.balancer;
    this.#ports = parts.ports;
    this.#processes = parts.processes;
  }

  static async open(serverUrl: string): Promise<Roll> {
    const installation = await Installation.open({ engine: 'postgres', serverUrl });
    const ports = [await reservePort(), await reservePort()];
    const processes: ServiceProcess[] = [];
    for (const port of ports) {
      processes.push(installation.start({ port }));
      await processes.at(-1)!.waitUntilServing();
    }
    const balancer = await Balancer.open({ port: installation.port, to: ports });
    await installation.account();
    installation.clients.start();
    return new Roll({ installation, balancer, ports, processes });
  }

  async restart(nth: number): Promise<string[]> {
    const at = nth % this.#processes.length;
    await sleep(betweenMs);
    const { code, signal } = await this.#processes[at]!.stop();
    const stopViolations = code === 0 ? [] : [`a stop ended with ${code ?? signal}`];
    const next = this.#installation.start({ port: this.#ports[at]! });
    this.#processes[at] = next;
    await next.waitUntilServing();
    return stopViolations;
  }

  async end(): Promise<{ findings: Findings; failed: readonly string[]; counts: Counts }> {
    const { clients } = this.#installation;
    await clients.stop();
    const taskNumbers = [...clients.acknowledged.keys()];
    await waitForEnd(this.#installation, { taskNumbers, results: 'kept' });
    const findings = await inspectTasks(this.#installation, { taskNumbers, results: 'kept' });
    const lost = await leasesLost(this.#installation);
    const { failed, counts } = this.#balancer;
    return { findings: { ...findings, broken: [...findings.broken, ...lost] }, failed, counts };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installation.close();
    await this.#balancer[Symbol.asyncDispose]();
  }
}

type Counts = Balancer['counts'];
