/**
 * The commands that schedules are made of, as fast-check draws and shrinks them. Each begins
 * something and lets a few of all that waits go on; the rest goes on beside the commands after it.
 */
import fc from 'fast-check';
import {
  breakRefund,
  callBack,
  cancel,
  close,
  create,
  give,
  mint,
  open,
  redeem,
  revoke,
  sell,
  settleByHand,
} from './deeds.ts';
import { type Mode, type Money, taskOf } from './model.ts';
import { type Ending, endings, type Fate, makers } from './simulated-upstream.ts';
import { rescueAll, work } from './workers.ts';
import type { KnownAccount, KnownTask, World } from './world.ts';

export type MoneyCommand = fc.AsyncCommand<Money, World>;

/** So many of the waiting go on after a command; the most is all of them. */
const paceMax = 9;
const accountsMax = 2;
const pace = fc.nat({ max: paceMax });
const mode: fc.Arbitrary<Mode> = fc.constantFrom('live', 'live', 'test');
const which = fc.nat({ max: 99 });
const of = <Item>(items: readonly Item[], nth: number): Item | undefined =>
  items[nth % Math.max(1, items.length)];

const fate: fc.Arbitrary<Fate> = fc.record({
  start: fc.constantFrom<Fate['start']>(
    ['accepted'],
    ['accepted'],
    ['lost', 'accepted'],
    ['nothing', 'accepted'],
    ['throttled', 'accepted'],
    ['rejected'],
    ['refused'],
  ),
  cancel: fc.constantFrom('stopped', 'stopped', 'running', 'unknown'),
  finally: fc.constantFrom<Fate['finally']>(
    ...(['completed', 'completed', 'completed', 'failed', 'uncollectable', 'never'] as const),
  ),
  receiver: fc.constantFrom([200], [500, 200], [500]),
});

const everyEnding = Object.keys(endings) as Ending[];

type Doing<Values> = (world: World, values: Values) => Promise<void> | void;

/** `doing` begins what it does by `world.begin`, or is over before anything else can happen. */
function commandOf<Values extends object>(
  name: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  doing: Doing<Values>,
): fc.Arbitrary<MoneyCommand> {
  return fc
    .record({ ...values, pace } as { [Name in keyof Values]: fc.Arbitrary<Values[Name]> } & {
      pace: typeof pace;
    })
    .map((drawn) => ({
      check: () => true,
      async run(_money, world) {
        await doing(world, drawn as Values);
        await world.pick(
          (drawn.pace as number) === paceMax ? Number.POSITIVE_INFINITY : (drawn.pace as number),
        );
      },
      toString: () => `${name} ${JSON.stringify(drawn)}`,
    }));
}

const withAccount = (
  world: World,
  nth: number,
  doing: (account: KnownAccount) => Promise<void>,
) => {
  const account = of(world.accounts, nth);
  if (account) world.begin(() => doing(account));
};
const withTask = (world: World, nth: number, doing: (task: KnownTask) => Promise<void>) => {
  const task = of(world.tasks, nth);
  if (task) world.begin(() => doing(task));
};

const opens = commandOf('open', {}, async (world) => {
  if (world.accounts.length < accountsMax) await openWithCredits(world);
});
const mints = commandOf('mint', { which, mode }, (world, { which: nth, mode: of }) =>
  withAccount(world, nth, (account) => mint(world, account, of)),
);
const revokes = commandOf('revoke', { which, mode }, (world, values) =>
  withAccount(world, values.which, async ({ keys }) => {
    const key = of(keys[values.mode], values.which);
    if (key) await revoke(world, key);
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
  (world, { which: nth, ...given }) =>
    withAccount(world, nth, (account) => give(world, account, given)),
);
const sells = commandOf('sell', { mode, amount: fc.integer({ min: 1, max: 20 }) }, (world, sold) =>
  world.begin(() => sell(world, sold)),
);
const redeems = commandOf('redeem', { which }, (world, { which: nth }) =>
  withAccount(world, nth, async (account) => {
    const code = of(world.codes, nth);
    if (code) await redeem(world, account, code);
  }),
);
const closes = commandOf('close', { which }, (world, { which: nth }) =>
  withAccount(world, nth, (account) => close(world, account)),
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
    fate,
    isCalledBack: fc.boolean(),
  },
  (world, { which: nth, times, ...wanted }) => {
    for (let time = 0; time < times; time++) {
      withAccount(world, nth, async (account) => {
        const key = of(account.keys[wanted.mode], nth);
        if (key) await create(world, account, { ...wanted, key });
      });
    }
  },
);
const cancels = commandOf('cancel', { which }, (world, { which: nth }) =>
  withTask(world, nth, (task) => cancel(world, task)),
);
const ends = commandOf(
  'end',
  { which, how: fc.constantFrom<Ending>('completed', 'completed', ...everyEnding) },
  (world, { which: nth, how }) => endAtProvider(world, of(world.tasks, nth), how),
);
const callsBack = commandOf(
  'call back',
  {
    which,
    kind: fc.constantFrom('hint', 'named', 'forged', 'unknown'),
    times: fc.constantFrom(1, 2),
  },
  (world, { which: nth, kind, times }) => {
    for (let time = 0; time < times; time++) {
      withTask(world, nth, (task) => callBack(world, task, kind));
    }
  },
);
const breaks = commandOf('break refund', { which }, async (world, { which: nth }) => {
  const task = of(world.tasks, nth);
  if (task) await breakRefund(world, task);
});
const settles = commandOf(
  'settle by hand',
  { which, outcome: fc.constantFrom('refunded', 'written_off') },
  (world, { which: nth, outcome }) => {
    const waiting = world.tasks.filter(
      ({ id }) => taskOf(world.money, id).settlement === 'refund_failed',
    );
    const task = of(waiting, nth);
    if (task) world.begin(() => settleByHand(world, task, outcome));
  },
);
const works = commandOf(
  'work',
  { owner: fc.constantFrom('a', 'b', 'c'), dies: fc.constantFrom(false, false, false, true) },
  (world, values) => world.begin(() => work(world, values)),
);
const rescues = commandOf('rescue', { times: fc.constantFrom(1, 3) }, (world, { times }) => {
  for (let time = 0; time < times; time++) world.begin(() => rescueAll(world));
});
const passes = commandOf(
  'pass time',
  { seconds: fc.constantFrom(20, 20, 20, 20, 60, 60, 60, 600, 4000, 90_000) },
  (world, { seconds }) => world.passTime(seconds),
);

/** With a key and credits in both modes. */
export async function openWithCredits(world: World): Promise<void> {
  const account = await open(world);
  world.begin(async () => {
    for (const one of ['live', 'test'] as const) {
      await mint(world, account, one);
      await give(world, account, { mode: one, amount: 40, reference: 'first' });
    }
  });
}

export function endAtProvider(world: World, task: KnownTask | undefined, how: Ending): void {
  const told = task && world.upstream.end(task.prompt, how);
  if (told) taskOf(world.money, task.id).may.add(told);
}

/** What happens often in life is there more than once. */
export const moneyCommands: fc.Arbitrary<MoneyCommand>[] = [
  ...[opens, mints, revokes, grants, sells, redeems, closes, breaks, settles, rescues],
  ...[cancels, cancels, cancels, ends, ends, ends, callsBack, callsBack, passes, passes],
  ...Array<typeof creates>(8).fill(creates),
  ...Array<typeof works>(8).fill(works),
];
