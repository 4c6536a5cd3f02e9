/**
 * The same model against real processes: customers order, cancel, top up and change keys over HTTP
 * while the process is killed at a drawn point and started again, on both engines in turn.
 */
import fc from 'fast-check';
import { sleep } from '../../../server/clock.ts';
import { type CrashPoint, crashPoints } from '../../../server/crash-point.ts';
import { startPostgres } from '../../kit/postgres.ts';
import type { FaultTest, FaultTestOptions, FaultTestResult } from '../fault-test.ts';
import { type Engine, Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { type ModelCustomer, ModelCustomers, type TaskOrder } from './customers.ts';

/** Results live for a day: nothing expires here. */
const points = crashPoints.filter((point) => !point.startsWith('expire.'));
/** Each on an installation of its own, so many at once. */
const customersAtOnce = 3;
/** A point that is not passed by then is not waited for: the process is killed where it stands. */
const reachedMsMax = 5000;
const pauseMs = 300;
const poorCredits = 12;

type Step =
  | { readonly does: 'order'; readonly order: TaskOrder }
  | { readonly does: 'overspend' | 'cancel' | 'grant' | 'redeem' | 'change key' | 'pause' }
  | { readonly does: 'close at work' };

type Draw = { readonly point: CrashPoint; readonly nth: number; readonly steps: readonly Step[] };

const order: fc.Arbitrary<TaskOrder> = fc.record({
  mode: fc.constantFrom('live', 'live', 'live', 'test'),
  fails: fc.constantFrom(false, false, true),
  times: fc.constantFrom(1, 1, 2),
  isTold: fc.constantFrom(true, true, true, false),
});
const ordering = order.map((drawn): Step => ({ does: 'order', order: drawn }));
const others = fc.constantFrom<Step>(
  { does: 'cancel' },
  { does: 'cancel' },
  { does: 'overspend' },
  { does: 'grant' },
  { does: 'redeem' },
  { does: 'change key' },
  { does: 'pause' },
  { does: 'close at work' },
);
const draw: fc.Arbitrary<Draw> = fc.record({
  point: fc.constantFrom(...points),
  nth: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(fc.oneof(ordering, ordering, others), { minLength: 12, maxLength: 24 }),
});

export const moneyCrashes: FaultTest = {
  name: 'money-crashes',
  title: 'a process is killed while its customers spend, and their balances are the model’s',
  failures: [1, 2, 3, 20],
  unit: 'kills',
  runs: 60,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    const engines: readonly Engine[] = ['embedded', 'postgres'];
    const shares = engines.map((engine, at) => {
      const runs = Math.floor((options.runs + at) / engines.length);
      return killRepeatedly(
        engine,
        { ...options, runs, seed: options.seed + at * 1_000_000 },
        server.url,
      );
    });
    const results = await Promise.all(shares).finally(() => server.stop());
    return sumResults(results);
  },
};

async function killRepeatedly(
  engine: Engine,
  options: FaultTestOptions,
  serverUrl: string,
): Promise<FaultTestResult> {
  const { runs, seed, log } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const installation = await Installation.open({ engine, serverUrl });
  const violations: string[] = [];
  let done = 0;
  let customers: ModelCustomers | undefined;
  try {
    const trial = new Trial(installation, signal);
    ({ customers } = trial);
    for (; done < runs && !signal.aborted; done++) {
      const drawn = fc.sample(draw, { seed: seed + done, numRuns: 1 })[0]!;
      const label = `${engine}, seed ${seed + done}, ${drawn.point}:${drawn.nth}`;
      const newViolations = await trial.run(drawn);
      violations.push(...newViolations.map((violation) => `${label}: ${violation}`));
      log(`[${done + 1}/${runs}] ${label}: ${newViolations.join('; ') || 'as the model says'}`);
      // What is wrong once stays wrong: the model and the service have parted.
      if (newViolations.length > 0) break;
    }
  } catch (error) {
    if (!signal.aborted) violations.push(`${engine}, seed ${seed + done}: ${error}`);
  } finally {
    // Who still waits for an answer would ask for ever.
    over.abort();
    await installation.close();
  }
  const tasks = [...(customers?.money.tasks.values() ?? [])];
  const countMatching = (what: string) => violations.filter((one) => one.includes(what)).length;
  const found = {
    lost: countMatching('lost: '),
    doubled: countMatching('generated twice: '),
    unfinished: countMatching('not final: '),
  };
  return {
    runs: done,
    acknowledged: tasks.length,
    ...found,
    broken: violations.length - found.lost - found.doubled - found.unfinished,
    violations,
    notes: [`${engine}: seeds ${seed} to ${seed + done - 1}, ${tasks.length} tasks.`],
  };
}

/** One kill after the other, with the same customers. */
class Trial {
  readonly customers: ModelCustomers;
  readonly #installation: Installation;
  #rich: ModelCustomer | undefined;
  #process: ServiceProcess | undefined;
  #still: Promise<void> = Promise.resolve();

  constructor(installation: Installation, signal: AbortSignal) {
    this.#installation = installation;
    this.customers = new ModelCustomers(installation, signal);
  }

  async run({ point, nth, steps }: Draw): Promise<string[]> {
    await this.#process?.stop();
    const victim = this.#installation.start({
      environment: { VIDGEN_CRASH_AT: `${point}:${nth}` },
    });
    await victim.waitUntilServing().catch((error) => {
      if (!victim.hasExited) throw error;
    });
    const over = new AbortController();
    const restarted = this.#startAgainAfter(victim, over.signal);
    this.#rich ??= await this.customers.open({ test: 1_000_000 });
    const rich = this.#rich;
    const poor = await this.customers.open({ live: poorCredits });
    const workers = Array.from({ length: customersAtOnce }, (_, worker) =>
      this.#walk(
        steps.filter((_step, at) => at % customersAtOnce === worker),
        { rich, poor },
      ),
    );
    await Promise.all(workers);
    over.abort();
    this.#process = await restarted;
    return await this.customers.reconcile();
  }

  /** As a supervisor does it. Who is not dead when everybody has been served is killed then. */
  async #startAgainAfter(victim: ServiceProcess, isServed: AbortSignal): Promise<ServiceProcess> {
    const waited = new Promise<void>((resolve) => {
      isServed.addEventListener('abort', () => void sleep(reachedMsMax).then(resolve));
    });
    await Promise.race([victim.exited, waited]);
    if (!victim.hasExited) await victim.kill();
    await this.#installation.expireLeases(victim.pid);
    const next = this.#installation.start();
    await next.waitUntilServing();
    return next;
  }

  /** One at a time: both stop the provider and let it go again. */
  #alone(work: () => Promise<void>): Promise<void> {
    const mine = this.#still.then(work);
    this.#still = mine.catch(() => {});
    return mine;
  }

  async #walk(
    steps: readonly Step[],
    { rich, poor }: { readonly rich: ModelCustomer; readonly poor: ModelCustomer },
  ): Promise<void> {
    const { customers } = this;
    for (const step of steps) {
      if (step.does === 'order') await customers.order(rich, step.order);
      else await this.#doOther(step.does, { rich, poor });
    }
  }

  async #doOther(
    does: Exclude<Step['does'], 'order'>,
    { rich, poor }: { readonly rich: ModelCustomer; readonly poor: ModelCustomer },
  ): Promise<void> {
    const { customers } = this;
    const { upstream } = this.#installation;
    switch (does) {
      case 'overspend':
        // Credits for two: of three at once, one is refused.
        await Promise.all([1, 2, 3].map(() => customers.order(poor, {})));
        return;
      case 'cancel': {
        const task = customers.lastOf(rich);
        if (task) await customers.cancel(task);
        return;
      }
      case 'grant':
        return await customers.grant(rich, 'test', 10);
      case 'redeem':
        return await customers.redeem(rich, 10);
      case 'change key':
        return await customers.changeKey(rich);
      case 'pause':
        return await this.#alone(async () => {
          upstream.move('stop');
          await sleep(pauseMs);
          upstream.move('go');
        });
      case 'close at work':
        return await this.#alone(() => customers.closeAtWork());
    }
  }
}

function sumResults(results: readonly FaultTestResult[]): FaultTestResult {
  const sum = (of: (one: FaultTestResult) => number) =>
    results.reduce((all, one) => all + of(one), 0);
  return {
    runs: sum(({ runs }) => runs),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    unfinished: sum(({ unfinished }) => unfinished),
    broken: sum(({ broken }) => broken),
    violations: results.flatMap(({ violations }) => violations),
    notes: results.flatMap(({ notes }) => notes),
  };
}
