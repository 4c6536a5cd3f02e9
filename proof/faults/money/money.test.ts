/**
 * A share of the schedules, rare ends of tasks by name, and that wrong money is found out.
 * One engine: the order of commits is drawn by the schedule, whatever runs them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { listActions } from '../../../server/accounts/operator-actions.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { rescue } from '../../../server/queue/rescuer.ts';
import { listAttempts } from '../../../server/tasks/attempts.ts';
import { testEngine } from '../../kit/scratch-database.ts';
import { endAtProvider, openWithCredits } from './commands.ts';
import { breakRefund, callBack, cancel, create, settleByHand } from './deeds.ts';
import { Ground } from './ground.ts';
import { keptSeeds } from './kept-seeds.ts';
import { finish, runSchedule } from './schedules.ts';
import { makeRefundImpossible } from './simulated-time.ts';
import type { Fate } from './simulated-upstream.ts';
import { work } from './workers.ts';
import type { World } from './world.ts';

let ground: Ground;
before(async () => {
  ground = await Ground.open(testEngine);
});
after(() => ground.close());

const schedules = 12;

test('in any order, each balance is what the model says, and the books are whole', async () => {
  const first = Math.floor(Math.random() * 2 ** 31);
  for (let seed = first; seed < first + schedules; seed++) await runSchedule(ground, seed);
});

for (const { seed, shows } of keptSeeds) {
  test(`seed ${seed}: ${shows}`, async () => {
    await runSchedule(ground, seed);
  });
}

/** A task that was accepted, and what is written in its stars. */
async function oneTask(world: World, fate: Partial<Fate>): Promise<void> {
  if (world.accounts.length === 0) await openWithCredits(world);
  await world.settle();
  const [account] = world.accounts;
  const wanted = {
    key: account!.keys.live[0]!,
    model: 'vidgen-2-0-mini',
    mode: 'live',
    credits: 7,
    timeoutSeconds: 3600,
    named: null,
    isCalledBack: true,
    fate: { ...everydayFate, ...fate },
  } as const;
  world.begin(() => create(world, account!, wanted));
  await world.settle();
}

const everydayFate: Fate = {
  start: ['accepted'],
  cancel: 'stopped',
  finally: 'completed',
  receiver: [200],
};

/** A task that failed and was refunded, and one that is being made. */
async function twoTasks(world: World): Promise<void> {
  await oneTask(world, {});
  await oneTask(world, {});
  endAtProvider(world, world.tasks[0], 'failed');
  await atOnce(world, () => work(world, { owner: 'a' }));
  await world.passTime(20);
  await atOnce(world, () => work(world, { owner: 'a' }));
  assert.equal(settlementOf(world, 0), 'refunded');
}

/** Written past everything that would refuse it, as a fault of the service would have to be. */
const forge = (world: World, statements: string) =>
  world.plain.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`);
    await tx.query(statements);
  });

type Wrong = {
  readonly plant: (world: World) => Promise<unknown> | unknown;
  readonly said: RegExp;
};

describe('a world is found out in which', () => {
  const wrongs: Readonly<Record<string, Wrong>> = {
    'a refund is given twice': {
      plant: (world) =>
        forge(
          world,
          `update balances set available = available + 7, reserved = reserved - 7
           where mode = 'live'`,
        ),
      said: /live: available 40, reserved 0, charged 0, suspended 0, not available 33, reserved 7/,
    },
    'credits come from nowhere': {
      plant: (world) =>
        forge(
          world,
          `update balances set available = available + 1, granted = granted + 1
           where mode = 'test'`,
        ),
      said: /test: available 41, reserved 0, charged 0, suspended 0, not available 40/,
    },
    'a charge was forgotten': {
      plant: ({ money }) => {
        for (const { purses } of money.accounts.values()) purses.live.charged += 1;
      },
      said: /charged 0, suspended 0, not available 33, reserved 7, charged 1/,
    },
    'an accepted create is gone': {
      plant: (world) => forge(world, `delete from tasks where id = '${world.tasks[1]!.id}'`),
      said: /2 creates were accepted, and there are 1/,
    },
    'a task is called completed that nobody has made': {
      plant: (world) =>
        forge(
          world,
          `update tasks set status = 'completed', billing_status = 'charged', result = '{}',
             finished_at = now(), expires_at = now() where id = '${world.tasks[1]!.id}'`,
        ),
      said: /ended as completed, and nothing had happened that could cause it/,
    },
    'a receiver is never told': {
      plant: (world) => forge(world, `delete from jobs where kind = 'notify'`),
      said: /each final task with a callback_url has a delivery: msg_/,
    },
  };
  for (const [what, { plant, said }] of Object.entries(wrongs)) {
    test(what, async () => {
      await ground.tell(async (world) => {
        await twoTasks(world);
        await plant(world);
        await assert.rejects(
          world.compare().then(() => finish(world)),
          said,
        );
      });
    });
  }
});

test('a world in which nothing is wrong is not found out', async () => {
  await ground.tell(async (world) => {
    await twoTasks(world);
    await finish(world);
    assert.equal(settlementOf(world, 1), 'charged');
  });
});

/** Begins them all, and waits for none before the others. */
async function atOnce(world: World, ...works: readonly (() => Promise<void>)[]): Promise<void> {
  for (const one of works) world.begin(one);
  await world.settle();
}

const settlementOf = (world: World, nth: number) =>
  world.money.tasks.get(world.tasks[nth]!.id)!.settlement;

const callbacks = fc.shuffledSubarray(
  ['hint', 'hint', 'named', 'named', 'forged', 'unknown', 'end', 'look', 'look'] as const,
  { minLength: 4 },
);

test('callbacks twice, in any order, forged, unknown and late: charged once', async () => {
  const property = fc.asyncProperty(fc.scheduler(), callbacks, async (scheduler, order) => {
    await ground.world(scheduler, async (world) => {
      await oneTask(world, { start: ['lost', 'accepted'] });
      await atOnce(world, () => work(world, { owner: 'a' }));
      const task = world.tasks[0]!;
      for (const one of order) {
        if (one === 'end') endAtProvider(world, task, 'completed');
        else if (one === 'look') world.begin(() => work(world, { owner: 'b' }));
        else world.begin(() => callBack(world, task, one));
      }
      await finish(world);
      assert.equal(settlementOf(world, 0), 'charged');
      for (const kind of ['hint', 'named', 'forged'] as const) {
        await atOnce(world, () => callBack(world, task, kind));
      }
      await finish(world);
    });
  });
  await fc.assert(property, { numRuns: 6 });
});

test('a success after the refund stays refunded, and is kept as our cost', async () => {
  await ground.tell(async (world) => {
    await oneTask(world, { cancel: 'running' });
    const task = world.tasks[0]!;
    await atOnce(world, () => work(world, { owner: 'a' }));
    await world.passTime(4000);
    await atOnce(world, () => work(world, { owner: 'a' }));
    assert.equal(world.money.tasks.get(task.id)!.end, 'timed_out');
    endAtProvider(world, task, 'completed');
    for (const kind of ['named', 'hint'] as const) {
      await atOnce(
        world,
        () => callBack(world, task, kind),
        () => work(world, { owner: 'b' }),
      );
    }
    await finish(world);
    assert.equal(settlementOf(world, 0), 'refunded');
    const [attempt] = await listAttempts(world.plain, task.id);
    assert.match(attempt!.loss ?? '', /the provider may go on \(running\)/);
  });
});

describe('a refund that the database refuses', () => {
  test('twice is booked by the third try', async () => {
    await ground.tell(async (world) => {
      await oneTask(world, {});
      const { id } = world.tasks[0]!;
      await makeRefundImpossible(world.plain, id, { times: 2 });
      await atOnce(world, () => cancel(world, world.tasks[0]!));
      await finish(world);
      assert.equal(settlementOf(world, 0), 'refunded');
    });
  });

  test('every time waits for a person, whose word is in the audit log', async () => {
    await ground.tell(async (world) => {
      await oneTask(world, {});
      const task = world.tasks[0]!;
      await breakRefund(world, task);
      await atOnce(world, () => cancel(world, task));
      assert.equal(settlementOf(world, 0), 'refund_failed');
      const byHand = () => settleByHand(world, task, 'refunded');
      await atOnce(world, byHand, byHand);
      await finish(world);
      assert.equal(settlementOf(world, 0), 'refunded');
      const { items } = await listActions(world.plain, { subject: task.id, limit: 9 });
      assert.deepEqual(items.map(({ action }) => action).toSorted(), [
        'refund.settle',
        'task.cancel',
      ]);
    });
  });
});

test('three rescuers and three schedulers at once: each job is freed and run once', async () => {
  await ground.tell(async (world) => {
    await twoTasks(world);
    await world.passTime(60);
    await atOnce(world, () => work(world, { owner: 'a', dies: true }));
    await world.passTime(60);
    const rescuers = ground.url ? await openPostgres(ground.url, { connectionsMax: 3 }) : ground.db;
    const freed = await Promise.all([rescue(rescuers), rescue(rescuers), rescue(rescuers)]);
    if (ground.url) await rescuers.close();
    assert.equal(freed[0] + freed[1] + freed[2], 2, 'a call about one task, a look at the other');
    const three = ['a', 'b', 'c'].map((owner) => () => work(world, { owner }));
    endAtProvider(world, world.tasks[1], 'completed');
    await atOnce(world, ...three);
    await finish(world);
    assert.equal(settlementOf(world, 1), 'charged');
  });
});
