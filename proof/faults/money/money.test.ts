/** Samples of the schedules, rare ends of tasks, and the detection of wrong balances. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { listAuditEntries } from '../../../server/accounts/audit-log.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { rescue } from '../../../server/queue/rescuer.ts';
import { listAttempts } from '../../../server/tasks/find-attempts.ts';
import { runsOr } from '../fault-test.ts';
import { breakRefund, cancel, create, resolveRefund, sendCallback } from './actions.ts';
import { endAtProvider, openWithCredits } from './commands.ts';
import { finish, runSchedule } from './schedules.ts';
import type { ScriptedOutcome } from './simulated-upstream.ts';
import type { MoneySimulation } from './simulation.ts';
import { SimulationDatabase } from './simulation-database.ts';
import { work } from './workers.ts';

let database: SimulationDatabase;
before(async () => {
  database = await SimulationDatabase.open();
});
after(() => database.close());

const schedules = runsOr(12);

test('in any order, every balance matches the model and the invariants hold', async () => {
  const first = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  for (let seed = first; seed < first + schedules; seed++) await runSchedule(database, seed);
});

/** Seeds that once broke a rule; each draws the same schedule while the commands do not change. */
const regressionSeeds = {
  1081083922: 'an intent that was written after its lease had run out gave no hold on the job',
};
for (const [seed, shows] of Object.entries(regressionSeeds)) {
  test(`seed ${seed}: ${shows}`, async () => {
    await runSchedule(database, Number(seed));
  });
}

/** Creates one task with this scripted outcome. */
async function oneTask(
  simulation: MoneySimulation,
  scripted: Partial<ScriptedOutcome>,
): Promise<void> {
  if (simulation.accounts.length === 0) await openWithCredits(simulation);
  await simulation.settle();
  const [account] = simulation.accounts;
  const taskOptions = {
    key: account!.keys.live[0]!,
    model: 'vidgen-2-0-mini',
    mode: 'live',
    credits: 7,
    timeoutSeconds: 3600,
    named: null,
    isCalledBack: true,
    scripted: { ...defaultOutcome, ...scripted },
  } as const;
  simulation.begin(() => create(simulation, account!, taskOptions));
  await simulation.settle();
}

const defaultOutcome: ScriptedOutcome = {
  start: ['accepted'],
  cancel: 'stopped',
  finally: 'completed',
  receiver: [200],
};

/** One task that failed and was refunded, and one that is being generated. */
async function twoTasks(simulation: MoneySimulation): Promise<void> {
  await oneTask(simulation, {});
  await oneTask(simulation, {});
  endAtProvider(simulation, simulation.tasks[0], 'failed');
  await atOnce(simulation, () => work(simulation, { owner: 'a' }));
  await simulation.passTime(20);
  await atOnce(simulation, () => work(simulation, { owner: 'a' }));
  assert.equal(settlementOf(simulation, 0), 'refunded');
}

/** Writes past all triggers and constraints. */
const forge = (simulation: MoneySimulation, statements: string) =>
  simulation.directDb.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`);
    await tx.query(statements);
  });

type Wrong = {
  readonly corrupt: (simulation: MoneySimulation) => Promise<unknown> | unknown;
  readonly expectedMessage: RegExp;
};

describe('detects a simulation in which', () => {
  const wrongs: Readonly<Record<string, Wrong>> = {
    'a refund is given twice': {
      corrupt: (simulation) =>
        forge(
          simulation,
          `update balances set available = available + 7, reserved = reserved - 7
           where mode = 'live'`,
        ),
      expectedMessage:
        /live: available 40, reserved 0, charged 0, suspended 0, not available 33, reserved 7/,
    },
    'credits come from nowhere': {
      corrupt: (simulation) =>
        forge(
          simulation,
          `update balances set available = available + 1, granted = granted + 1
           where mode = 'test'`,
        ),
      expectedMessage: /test: available 41, reserved 0, charged 0, suspended 0, not available 40/,
    },
    'a charge was forgotten': {
      corrupt: ({ money }) => {
        for (const { balances } of money.accounts.values()) balances.live.charged += 1;
      },
      expectedMessage: /charged 0, suspended 0, not available 33, reserved 7, charged 1/,
    },
    'an accepted create is gone': {
      corrupt: (simulation) =>
        forge(simulation, `delete from tasks where id = '${simulation.tasks[1]!.id}'`),
      expectedMessage: /2 creates were accepted, but there are 1/,
    },
    'a task is completed without a generation': {
      corrupt: (simulation) =>
        forge(
          simulation,
          `update tasks set status = 'completed', billing_status = 'charged', result = '{}',
             finished_at = now(), expires_at = now() where id = '${simulation.tasks[1]!.id}'`,
        ),
      expectedMessage: /ended as completed, but nothing had happened that could cause it/,
    },
    'a webhook is never sent': {
      corrupt: (simulation) => forge(simulation, `delete from jobs where kind = 'notify'`),
      expectedMessage: /each final task with a callback_url has a delivery: msg_/,
    },
  };
  for (const [what, { corrupt, expectedMessage }] of Object.entries(wrongs)) {
    test(what, async () => {
      await database.runInOrder(async (simulation) => {
        await twoTasks(simulation);
        await corrupt(simulation);
        await assert.rejects(
          simulation.compare().then(() => finish(simulation)),
          expectedMessage,
        );
      });
    });
  }
});

test('accepts a simulation without errors', async () => {
  await database.runInOrder(async (simulation) => {
    await twoTasks(simulation);
    await finish(simulation);
    assert.equal(settlementOf(simulation, 1), 'charged');
  });
});

/** Starts all works and runs their steps in any order. */
async function atOnce(
  simulation: MoneySimulation,
  ...works: readonly (() => Promise<void>)[]
): Promise<void> {
  for (const one of works) simulation.begin(one);
  await simulation.settle();
}

const settlementOf = (simulation: MoneySimulation, nth: number) =>
  simulation.money.tasks.get(simulation.tasks[nth]!.id)!.settlement;

const callbacks = fc.shuffledSubarray(
  ['hint', 'hint', 'named', 'named', 'forged', 'unknown', 'end', 'look', 'look'] as const,
  { minLength: 4 },
);

test('charges once for callbacks twice, in any order, forged, unknown and late', async () => {
  const property = fc.asyncProperty(fc.scheduler(), callbacks, async (scheduler, order) => {
    await database.run(scheduler, async (simulation) => {
      await oneTask(simulation, { start: ['lost', 'accepted'] });
      await atOnce(simulation, () => work(simulation, { owner: 'a' }));
      const task = simulation.tasks[0]!;
      for (const one of order) {
        if (one === 'end') endAtProvider(simulation, task, 'completed');
        else if (one === 'look') simulation.begin(() => work(simulation, { owner: 'b' }));
        else simulation.begin(() => sendCallback(simulation, task, one));
      }
      await finish(simulation);
      assert.equal(settlementOf(simulation, 0), 'charged');
      for (const kind of ['hint', 'named', 'forged'] as const) {
        await atOnce(simulation, () => sendCallback(simulation, task, kind));
      }
      await finish(simulation);
    });
  });
  await fc.assert(property, { numRuns: 6 });
});

test('a success after the refund stays refunded, and is recorded as a loss', async () => {
  await database.runInOrder(async (simulation) => {
    await oneTask(simulation, { cancel: 'running' });
    const task = simulation.tasks[0]!;
    await atOnce(simulation, () => work(simulation, { owner: 'a' }));
    await simulation.passTime(4000);
    await atOnce(simulation, () => work(simulation, { owner: 'a' }));
    assert.equal(simulation.money.tasks.get(task.id)!.end, 'timed_out');
    endAtProvider(simulation, task, 'completed');
    for (const kind of ['named', 'hint'] as const) {
      await atOnce(
        simulation,
        () => sendCallback(simulation, task, kind),
        () => work(simulation, { owner: 'b' }),
      );
    }
    await finish(simulation);
    assert.equal(settlementOf(simulation, 0), 'refunded');
    const [attempt] = await listAttempts(simulation.directDb, task.id);
    assert.match(attempt!.loss ?? '', /the provider may go on \(running\)/);
  });
});

test('a refund that the database rejects waits for an administrator, and is audited', async () => {
  await database.runInOrder(async (simulation) => {
    await oneTask(simulation, {});
    const task = simulation.tasks[0]!;
    await breakRefund(simulation, task);
    await atOnce(simulation, () => cancel(simulation, task));
    assert.equal(settlementOf(simulation, 0), 'refund_failed');
    const byHand = () => resolveRefund(simulation, task, 'refunded');
    await atOnce(simulation, byHand, byHand);
    await finish(simulation);
    assert.equal(settlementOf(simulation, 0), 'refunded');
    const { items } = await listAuditEntries(simulation.directDb, { subject: task.id, limit: 9 });
    assert.deepEqual(items.map(({ action }) => action).toSorted(), [
      'refund.settle',
      'task.cancel',
    ]);
  });
});

test('three rescuers and three workers at once free and run each job once', async () => {
  await database.runInOrder(async (simulation) => {
    await twoTasks(simulation);
    await simulation.passTime(60);
    await atOnce(simulation, () => work(simulation, { owner: 'a', dies: true }));
    await simulation.passTime(60);
    const rescuers = await openPostgres(database.url, { connectionsMax: 3 });
    const freed = await Promise.all([rescue(rescuers), rescue(rescuers), rescue(rescuers)]);
    await rescuers.close();
    assert.equal(freed[0] + freed[1] + freed[2], 2, 'a webhook of one task, a poll of the other');
    const three = ['a', 'b', 'c'].map((owner) => () => work(simulation, { owner }));
    endAtProvider(simulation, simulation.tasks[1], 'completed');
    await atOnce(simulation, ...three);
    await finish(simulation);
    assert.equal(settlementOf(simulation, 1), 'charged');
  });
});
