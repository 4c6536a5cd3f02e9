/**
 * Runs the money model against real processes: customers create, cancel, top up and change keys over
 * HTTP while the process is killed at a drawn crash point and started again, on both engines.
 */
import fc from 'fast-check';
import { sleep } from '../../../server/clock.ts';
import { type CrashPoint, crashPoints } from '../../../server/crash-point.ts';
import type { TestEngine } from '../../kit/scratch-database.ts';
import {
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
  type Findings,
  findingViolations,
  noFindings,
  resultOf,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { addResults } from '../results.ts';
import type { ServiceProcess } from '../service-process.ts';
import { type ModelCustomer, ModelCustomers, type TaskOrder } from './customers.ts';

/** Results live for a day, so that nothing expires here. */
const points = crashPoints.filter((point) => !point.startsWith('expire.'));
const customersAtOnce = 3;
/** A process that has not reached its crash point by then is killed at once. */
const reachedMsMax = 5000;
const pauseMs = 300;
const poorCredits = 12;

type Step =
  | { readonly does: 'order'; readonly order: TaskOrder }
  | { readonly does: 'overspend' | 'cancel' | 'grant' | 'redeem' | 'change key' | 'pause' }
  | { readonly does: 'close at work' };

type CrashDraw = {
  readonly point: CrashPoint;
  readonly nth: number;
  readonly steps: readonly Step[];
};

const order: fc.Arbitrary<TaskOrder> = fc.record({
  mode: fc.constantFrom('live', 'live', 'live', 'test'),
  fails: fc.constantFrom(false, false, true),
  times: fc.constantFrom(1, 1, 2),
  isNotified: fc.constantFrom(true, true, true, false),
});
const ordering = order.map((drawn): Step => ({ does: 'order', order: drawn }));
const otherSteps = [
  ...(['cancel', 'cancel', 'overspend', 'grant', 'redeem'] as const),
  ...(['change key', 'pause', 'close at work'] as const),
].map((does): Step => ({ does }));
const draw: fc.Arbitrary<CrashDraw> = fc.record({
  point: fc.constantFrom(...points),
  nth: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(fc.oneof(ordering, ordering, fc.constantFrom(...otherSteps)), {
    minLength: 12,
    maxLength: 24,
  }),
});

export const moneyCrashes: FaultTest = {
  name: 'money-crashes',
  title: 'a process is killed while its customers spend, and their balances are the model’s',
  failures: [1, 2, 3, 20],
  unit: 'kills',
  runs: 60,
  async run(options) {
    const half = Math.floor(options.runs / 2);
    const other = { ...options, runs: options.runs - half, seed: options.seed + 1_000_000 };
    const [embedded, postgres] = await Promise.all([
      killRepeatedly('embedded', { ...options, runs: half }),
      killRepeatedly('postgres', other),
    ]);
    return addResults(embedded, postgres);
  },
};

async function killRepeatedly(
  engine: TestEngine,
  options: FaultTestOptions,
): Promise<FaultTestResult> {
  const { runs, seed, log } = options;
  const found: Findings[] = [];
  if (runs === 0) return resultOf(found);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  await using installation = await Installation.open({ engine });
  const trial = new MoneyTrial(installation, signal);
  const { tasks } = trial.customers.money;
  while (found.length < runs && !signal.aborted) {
    const before = tasks.size;
    const drawn = fc.sample(draw, { seed: seed + found.length, numRuns: 1 })[0]!;
    const label = `${engine}, seed ${seed + found.length}, ${drawn.point}:${drawn.nth}`;
    const violations = await trial.run(drawn).catch((error: Error) => [error.message]);
    if (options.signal.aborted) break;
    found.push({ ...findingsOf(violations), label, acknowledged: tasks.size - before });
    log(`${found.length} of ${runs}: ${label}: ${violations.join('; ') || 'as the model says'}`);
    // After a violation the model and the service stay different.
    if (findingViolations(found.at(-1)!).length > 0) break;
  }
  // Customers would repeat their requests for ever.
  over.abort();
  const last = seed + found.length - 1;
  return resultOf(found, { notes: [`${engine}: seeds ${seed} to ${last}, ${tasks.size} tasks.`] });
}

/** Sorts messages by the prefixes of `findingViolations`. */
function findingsOf(messages: readonly string[]): Findings {
  const prefixes = { lost: 'lost: ', doubled: 'generated twice: ', unfinished: 'not final: ' };
  const known = Object.entries(prefixes).map(([list, prefix]) => {
    const own = messages.filter((message) => message.startsWith(prefix));
    return [list, own.map((message) => message.slice(prefix.length))] as const;
  });
  const isOther = (message: string) =>
    !Object.values(prefixes).some((prefix) => message.startsWith(prefix));
  return { ...noFindings, ...Object.fromEntries(known), broken: messages.filter(isOther) };
}

/** Kills one process after the other, with the same customers. */
class MoneyTrial {
  readonly customers: ModelCustomers;
  readonly #installation: Installation;
  #rich: ModelCustomer | undefined;
  #process: ServiceProcess | undefined;
  #lastExclusive: Promise<void> = Promise.resolve();

  constructor(installation: Installation, signal: AbortSignal) {
    this.#installation = installation;
    this.customers = new ModelCustomers(installation, signal);
  }

  async run({ point, nth, steps }: CrashDraw): Promise<string[]> {
    await this.#process?.stop();
    const environment = { VIDGEN_CRASH_AT: `${point}:${nth}` };
    const victim = this.#installation.start({ environment });
    await victim.waitUntilServing().catch((error) => {
      if (!victim.hasExited) throw error;
    });
    const over = new AbortController();
    const restarted = this.#restartAfter(victim, over.signal);
    this.#rich ??= await this.customers.open({ test: 1_000_000 });
    const customers = { rich: this.#rich, poor: await this.customers.open({ live: poorCredits }) };
    const workers = Array.from({ length: customersAtOnce }, async (_, worker) => {
      const own = steps.filter((_step, at) => at % customersAtOnce === worker);
      for (const step of own) await this.#take(step, customers);
    });
    await Promise.all(workers);
    over.abort();
    this.#process = await restarted;
    return await this.customers.reconcile();
  }

  /** Restarts as a supervisor does; a victim that survives all requests is killed then. */
  async #restartAfter(victim: ServiceProcess, isOver: AbortSignal): Promise<ServiceProcess> {
    const waited = new Promise<void>((resolve) => {
      isOver.addEventListener('abort', () => void sleep(reachedMsMax).then(resolve));
    });
    await Promise.race([victim.exited, waited]);
    if (!victim.hasExited) await victim.kill();
    await this.#installation.expireLeases(victim.pid);
    const next = this.#installation.start();
    await next.waitUntilServing();
    return next;
  }

  /** Steps that freeze the provider run one at a time. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    const mine = this.#lastExclusive.then(work);
    this.#lastExclusive = mine.catch(() => {});
    return mine;
  }

  async #take(step: Step, { rich, poor }: Record<'rich' | 'poor', ModelCustomer>): Promise<void> {
    const { customers } = this;
    const { upstream } = this.#installation;
    switch (step.does) {
      case 'order':
        return await customers.order(rich, step.order);
      case 'overspend':
        // Credits for two: of three creates at once, one is rejected.
        await Promise.all([1, 2, 3].map(() => customers.order(poor, {})));
        return;
      case 'cancel':
        return await customers.cancelLast(rich);
      case 'grant':
        return await customers.grant(rich, 'test', 10);
      case 'redeem':
        return await customers.redeem(rich, 10);
      case 'change key':
        return await customers.changeKey(rich);
      case 'pause':
        return await this.#exclusively(async () => {
          upstream.move('stop');
          await sleep(pauseMs);
          upstream.move('go');
        });
      case 'close at work':
        return await this.#exclusively(() => customers.closeAtWork());
    }
  }
}
