/**
 * Thousands of schedules: commands about money in an order drawn by fast-check, everything that
 * waits picked in an order drawn too, the model beside it, and the five invariants at the end.
 */
import fc from 'fast-check';
import type { Outcome, Proof, ProofOrder } from '../proof.ts';
import { endAtProvider, moneyCommands, openWithCredits } from './commands.ts';
import { Ground } from './ground.ts';
import { rescueAll, work } from './workers.ts';
import type { World } from './world.ts';

const commandsMax = 40;
/** A world that is not done after so many rounds of everything never will be. */
const roundsMax = 60;

/** For making a schedule that broke a rule shorter. */
const shrinkMsMax = 120_000;

export type Story = { readonly picks: number; readonly ends: readonly string[] };

/** The schedule of this seed; throws what fast-check tells of it when it breaks a rule. */
export async function runSchedule(ground: Ground, seed: number): Promise<Story> {
  let story: Story = { picks: 0, ends: [] };
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.commands(moneyCommands, { maxCommands: commandsMax, size: 'max' }),
    async (scheduler, commands) => {
      const world = await ground.world(scheduler, async (real) => {
        await openWithCredits(real);
        await real.settle();
        await fc.asyncModelRun(() => ({ model: real.money, real }), commands);
        await finish(real);
      });
      story = { picks: world.picks, ends: endsOf(world) };
    },
  );
  await fc.assert(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: shrinkMsMax,
    includeErrorInReport: true,
  });
  return story;
}

const endsOf = ({ money }: World): string[] =>
  [...money.tasks.values()].map(({ end, settlement }) => `${end}, ${settlement}`);

/** Brings everything to its end, and looks at it. */
export async function finish(world: World): Promise<void> {
  await world.settle();
  for (const task of world.tasks) {
    const how = world.upstream.fateOf(task.prompt).finally;
    if (how !== 'never') endAtProvider(world, task, how);
  }
  for (let round = 0; !(await world.isDone()); round++) {
    if (round === roundsMax) throw new Error('it never comes to an end');
    await world.passTime(round < roundsMax / 3 ? 60 : 4000);
    world.begin(() => rescueAll(world));
    world.begin(() => work(world, { owner: 'a' }));
    await world.settle();
  }
  await world.compare();
  await world.audit();
  await world.lookBack();
}

export const moneySchedules: Proof = {
  name: 'money-schedules',
  title: 'accounts, tasks and settlements in drawn orders, compared with a model',
  failures: [20, 11, 12, 13, 31],
  unit: 'schedules',
  runs: 2000,
  needs: [],
  async run(order) {
    const ground = await Ground.open('postgres');
    return await runAll(ground, order).finally(() => ground.close());
  },
};

async function runAll(ground: Ground, order: ProofOrder): Promise<Outcome> {
  const { runs, seed, say, signal } = order;
  const violations: string[] = [];
  const ends: string[] = [];
  let [done, picks] = [0, 0];
  for (; done < runs && !signal.aborted; done++) {
    try {
      const story = await runSchedule(ground, seed + done);
      ends.push(...story.ends);
      picks += story.picks;
    } catch (error) {
      violations.push(`seed ${seed + done}: ${(error as Error).message}`);
      say(`✖ ${violations.at(-1)}`);
    }
    if ((done + 1) % 100 === 0) say(`[${done + 1}/${runs}] ${ends.length} tasks`);
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
    .map(([end, those]) => `${end} ${those.length}`)
    .join('; ');
