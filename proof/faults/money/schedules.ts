/**
 * Runs commands about money in drawn orders with all waiting steps in drawn orders, compares every
 * balance with the model, and checks the invariants at the end.
 */
import fc from 'fast-check';
import { endAtProvider, moneyCommands, openWithCredits } from './commands.ts';
import type { MoneySimulation } from './simulation.ts';
import type { SimulationDatabase } from './simulation-database.ts';
import { checkVendorBills } from './vendor-bills.ts';
import { rescueAll, work } from './workers.ts';

const commandsMax = 40;
/** A simulation that is not done after this many rounds never will be. */
const roundsMax = 60;

/** The time for shrinking a failing schedule. */
const shrinkMsMax = 120_000;

/** Runs the schedule of a seed; throws the report of fast-check when it breaks a rule. */
export async function runSchedule(database: SimulationDatabase, seed: number): Promise<void> {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.commands(moneyCommands, { maxCommands: commandsMax, size: 'max' }),
    async (scheduler, commands) => {
      await database.run(scheduler, async (real) => {
        await openWithCredits(real);
        await real.settle();
        await fc.asyncModelRun(() => ({ model: real.money, real }), commands);
        await finish(real);
      });
    },
  );
  await fc.assert(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: shrinkMsMax,
    includeErrorInReport: true,
  });
}

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
  await checkVendorBills(simulation);
}
