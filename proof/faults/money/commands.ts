/**
 * The commands of a schedule, as fast-check draws and shrinks them. Each starts an action and lets
 * some of the waiting steps run; the others run during later commands.
 */
import fc from 'fast-check';
import {
  breakRefund,
  cancel,
  close,
  create,
  createKey,
  grantCredits,
  open,
  redeem,
  resolveRefund,
  revoke,
  sellCode,
  sendCallback,
} from './actions.ts';
import { type Mode, type Money, taskOf } from './model.ts';
import { endings, makers, type ProviderEnd, type ScriptedOutcome } from './simulated-upstream.ts';
import type { KnownAccount, KnownTask, MoneySimulation } from './simulation.ts';
import { rescueAll, work } from './workers.ts';

export type MoneyCommand = fc.AsyncCommand<Money, MoneySimulation>;

/** The number of waiting steps that run after a command; the maximum stands for all. */
const paceMax = 9;
const accountsMax = 2;
const pace = fc.nat({ max: paceMax });
const mode: fc.Arbitrary<Mode> = fc.constantFrom('live', 'live', 'test');
const which = fc.nat({ max: 99 });
const pickFrom = <Item>(items: readonly Item[], nth: number): Item | undefined =>
  items[nth % Math.max(1, items.length)];

const scripted: fc.Arbitrary<ScriptedOutcome> = fc.record({
  start: fc.constantFrom<ScriptedOutcome['start']>(
    ['accepted'],
    ['accepted'],
    ['lost', 'accepted'],
    ['nothing', 'accepted'],
    ['throttled', 'accepted'],
    ['rejected'],
    ['refused'],
  ),
  cancel: fc.constantFrom('stopped', 'stopped', 'running', 'unknown'),
  finally: fc.constantFrom<ScriptedOutcome['finally']>(
    ...(['completed', 'completed', 'completed', 'failed', 'uncollectable', 'never'] as const),
  ),
  receiver: fc.constantFrom([200], [500, 200], [500]),
});

const everyEnding = Object.keys(endings) as ProviderEnd[];

type Action<Values> = (simulation: MoneySimulation, values: Values) => Promise<void> | void;

/** `action` starts its work by `simulation.begin`, or finishes it at once. */
function commandOf<Values extends object>(
  name: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  action: Action<Values>,
): fc.Arbitrary<MoneyCommand> {
  return fc
    .record({ ...values, pace } as { [Name in keyof Values]: fc.Arbitrary<Values[Name]> } & {
      pace: typeof pace;
    })
    .map((drawn) => ({
      check: () => true,
      async run(_money, simulation) {
        await action(simulation, drawn as Values);
        await simulation.pick(
          (drawn.pace as number) === paceMax ? Number.POSITIVE_INFINITY : (drawn.pace as number),
        );
      },
      toString: () => `${name} ${JSON.stringify(drawn)}`,
    }));
}

const withAccount = (
  simulation: MoneySimulation,
  nth: number,
  action: (account: KnownAccount) => Promise<void>,
) => {
  const account = pickFrom(simulation.accounts, nth);
  if (account) simulation.begin(() => action(account));
};
const withTask = (
  simulation: MoneySimulation,
  nth: number,
  action: (task: KnownTask) => Promise<void>,
) => {
  const task = pickFrom(simulation.tasks, nth);
  if (task) simulation.begin(() => action(task));
};

const opens = commandOf('open', {}, async (simulation) => {
  if (simulation.accounts.length < accountsMax) await openWithCredits(simulation);
});
const createsKey = commandOf('mint', { which, mode }, (simulation, { which: nth, mode: keyMode }) =>
  withAccount(simulation, nth, (account) => createKey(simulation, account, keyMode)),
);
const revokes = commandOf('revoke', { which, mode }, (simulation, values) =>
  withAccount(simulation, values.which, async ({ keys }) => {
    const key = pickFrom(keys[values.mode], values.which);
    if (key) await revoke(simulation, key);
  }),
);
const grants = commandOf(
  'grant',
  {
    which,
    mode,
    amount: fc.integer({ min: 1, max: 20 }),
    reference: fc.constantFrom('a', 'b', 'c'),
  },
  (simulation, { which: nth, ...grantOptions }) =>
    withAccount(simulation, nth, (account) => grantCredits(simulation, account, grantOptions)),
);
const sells = commandOf(
  'sell',
  { mode, amount: fc.integer({ min: 1, max: 20 }) },
  (simulation, sold) => simulation.begin(() => sellCode(simulation, sold)),
);
const redeems = commandOf('redeem', { which }, (simulation, { which: nth }) =>
  withAccount(simulation, nth, async (account) => {
    const code = pickFrom(simulation.codes, nth);
    if (code) await redeem(simulation, account, code);
  }),
);
const closes = commandOf('close', { which }, (simulation, { which: nth }) =>
  withAccount(simulation, nth, (account) => close(simulation, account)),
);
const creates = commandOf(
  'create',
  {
    which,
    mode,
    times: fc.constantFrom(1, 1, 2),
    credits: fc.integer({ min: 1, max: 12 }),
    timeoutSeconds: fc.constantFrom(600, 3600),
    named: fc.option(
      fc.record({ name: fc.constantFrom('one', 'two'), request: fc.constantFrom('x', 'x', 'y') }),
    ),
    model: fc.constantFrom(...(Object.keys(makers) as (keyof typeof makers)[])),
    scripted,
    isCalledBack: fc.boolean(),
  },
  (simulation, { which: nth, times, ...taskOptions }) => {
    for (let time = 0; time < times; time++) {
      withAccount(simulation, nth, async (account) => {
        const key = pickFrom(account.keys[taskOptions.mode], nth);
        if (key) await create(simulation, account, { ...taskOptions, key });
      });
    }
  },
);
const cancels = commandOf('cancel', { which }, (simulation, { which: nth }) =>
  withTask(simulation, nth, (task) => cancel(simulation, task)),
);
const ends = commandOf(
  'end',
  { which, how: fc.constantFrom<ProviderEnd>('completed', 'completed', ...everyEnding) },
  (simulation, { which: nth, how }) =>
    endAtProvider(simulation, pickFrom(simulation.tasks, nth), how),
);
const callsBack = commandOf(
  'call back',
  {
    which,
    kind: fc.constantFrom('hint', 'named', 'forged', 'unknown'),
    times: fc.constantFrom(1, 2),
  },
  (simulation, { which: nth, kind, times }) => {
    for (let time = 0; time < times; time++) {
      withTask(simulation, nth, (task) => sendCallback(simulation, task, kind));
    }
  },
);
const breaks = commandOf('break refund', { which }, async (simulation, { which: nth }) => {
  const task = pickFrom(simulation.tasks, nth);
  if (task) await breakRefund(simulation, task);
});
const settles = commandOf(
  'settle by hand',
  { which, outcome: fc.constantFrom('refunded', 'written_off') },
  (simulation, { which: nth, outcome }) => {
    const waiting = simulation.tasks.filter(
      ({ id }) => taskOf(simulation.money, id).settlement === 'refund_failed',
    );
    const task = pickFrom(waiting, nth);
    if (task) simulation.begin(() => resolveRefund(simulation, task, outcome));
  },
);
const works = commandOf(
  'work',
  { owner: fc.constantFrom('a', 'b', 'c'), dies: fc.constantFrom(false, false, false, true) },
  (simulation, values) => simulation.begin(() => work(simulation, values)),
);
const rescues = commandOf('rescue', { times: fc.constantFrom(1, 3) }, (simulation, { times }) => {
  for (let time = 0; time < times; time++) simulation.begin(() => rescueAll(simulation));
});
const passes = commandOf(
  'pass time',
  { seconds: fc.constantFrom(20, 20, 20, 20, 60, 60, 60, 600, 4000, 90_000) },
  (simulation, { seconds }) => simulation.passTime(seconds),
);

/** Opens an account with a key and credits in both modes. */
export async function openWithCredits(simulation: MoneySimulation): Promise<void> {
  const account = await open(simulation);
  simulation.begin(async () => {
    for (const one of ['live', 'test'] as const) {
      await createKey(simulation, account, one);
      await grantCredits(simulation, account, { mode: one, amount: 40, reference: 'first' });
    }
  });
}

export function endAtProvider(
  simulation: MoneySimulation,
  task: KnownTask | undefined,
  how: ProviderEnd,
): void {
  const allowedEnd = task && simulation.upstream.end(task.prompt, how);
  if (allowedEnd) taskOf(simulation.money, task.id).allowedEnds.add(allowedEnd);
}

/** Frequent commands are listed more than once. */
export const moneyCommands: fc.Arbitrary<MoneyCommand>[] = [
  ...[opens, createsKey, revokes, grants, sells, redeems, closes, breaks, settles, rescues],
  ...[cancels, cancels, cancels, ends, ends, ends, callsBack, callsBack, passes, passes],
  ...Array<typeof creates>(8).fill(creates),
  ...Array<typeof works>(8).fill(works),
];
