/**
 * Runs commands about money in drawn orders with all waiting steps in drawn orders, compares every
 * balance with the model, and checks the invariants at the end.
 */
import fc from 'fast-check';
import type { FaultTest, FaultTestOptions, FaultTestResult } from '../fault-test.ts';
import { endAtProvider, moneyCommands, openWithCredits } from './commands.ts';
import type { MoneySimulation } from './simulation.ts';
import { SimulationDatabase } from './simulation-database.ts';
import { rescueAll, work } from './workers.ts';

const commandsMax = 40;
/** A simulation that is not done after this many rounds never will be. */
const roundsMax = 60;

/** The time for shrinking a failing schedule. */
const shrinkMsMax = 120_000;

export type ScheduleResult = { readonly picks: number; readonly ends: readonly string[] };

/** Runs the schedule of a seed; throws the report of fast-check when it breaks a rule. */
export async function runSchedule(
  database: SimulationDatabase,
  seed: number,
): Promise<ScheduleResult> {
  let result: ScheduleResult = { picks: 0, ends: [] };
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.commands(moneyCommands, { maxCommands: commandsMax, size: 'max' }),
    async (scheduler, commands) => {
      const simulation = await database.run(scheduler, async (real) => {
        await openWithCredits(real);
        await real.settle();
        await fc.asyncModelRun(() => ({ model: real.money, real }), commands);
        await finish(real);
      });
      result = { picks: simulation.picks, ends: endsOf(simulation) };
    },
  );
  await fc.assert(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: shrinkMsMax,
    includeErrorInReport: true,
  });
  return result;
}

const endsOf = ({ money }: MoneySimulation): string[] =>
  [...money.tasks.values()].map(({ end, settlement }) => `${end}, ${settlement}`);

/** Finishes all tasks and checks everything. */
export async function finish(simulation: MoneySimulation): Promise<void> {
  await simulation.settle();
  for (const task of simulation.tasks) {
    const how = simulation.upstream.scriptedOutcome(task.prompt).finally;
    if (how !== 'never') endAtProvider(simulation, task, how);
  }
  for (let round = 0; !(await simulation.isDone()); round++) {
    if (round === roundsMax) throw new Error('the tasks never end');
    await simulation.passTime(round < roundsMax / 3 ? 60 : 4000);
    simulation.begin(() => rescueAll(simulation));
    simulation.begin(() => work(simulation, { owner: 'a' }));
    await simulation.settle();
  }
  await simulation.compare();
  await simulation.audit();
  await simulation.checkExternalRecords();
}

export const moneySchedules: FaultTest = {
  name: 'money-schedules',
  title: 'accounts, tasks and settlements in drawn orders, compared with a model',
  failures: [20, 11, 12, 13, 31],
  unit: 'schedules',
  runs: 2000,
  requirements: [],
  async run(options) {
    const database = await SimulationDatabase.open();
    return await runAll(database, options).finally(() => database.close());
  },
};

async function runAll(
  database: SimulationDatabase,
  options: FaultTestOptions,
): Promise<FaultTestResult> {
  const { runs, seed, log, signal } = options;
  const violations: string[] = [];
  const ends: string[] = [];
  let [done, picks] = [0, 0];
  for (; done < runs && !signal.aborted; done++) {
    try {
      const result = await runSchedule(database, seed + done);
      ends.push(...result.ends);
      picks += result.picks;
    } catch (error) {
      violations.push(`seed ${seed + done}: ${(error as Error).message}`);
      log(`✖ ${violations.at(-1)}`);
    }
    if ((done + 1) % 100 === 0) log(`[${done + 1}/${runs}] ${ends.length} tasks`);
  }
  const nothing = { lost: 0, doubled: 0, unfinished: 0 };
  return {
    runs: done,
    acknowledged: ends.length,
    ...nothing,
    broken: violations.length,
    violations,
    notes: [
      `Seeds ${seed} to ${seed + done - 1}: ${picks} steps in drawn orders, and after each of ` +
        'them that wrote, every balance was what the model said.',
      `How the tasks ended: ${tally(ends)}.`,
    ],
  };
}

const tally = (ends: readonly string[]): string =>
  [...Map.groupBy(ends, (end) => end)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([end, group]) => `${end} ${group.length}`)
    .join('; ');
