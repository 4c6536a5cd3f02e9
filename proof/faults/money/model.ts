/**
 * What credits must do, as a child would keep the books: accounts, tasks, settlements, and nothing
 * about how a service does it. Everything that may not happen throws a sentence.
 */
import type { FailedReason } from '@vidgen/contract/task-status.ts';

export type Mode = 'live' | 'test';
/** How a task can end: made, or not made for one of the contract's reasons. */
export type End = 'completed' | FailedReason;
export type Purse = { available: number; reserved: number; charged: number; suspended: number };
export type Settlement = 'charged' | 'refunded' | 'refund_failed';

export type AccountMoney = {
  readonly purses: Readonly<Record<Mode, Purse>>;
  /** References of grants: each is booked once. */
  readonly granted: Set<string>;
  /** Creates that were given a name: the same name within a day is the same create. */
  readonly creates: Map<string, { task: string; request: string; atSeconds: number }>;
  isClosed: boolean;
};

export type TaskMoney = {
  readonly account: string;
  readonly mode: Mode;
  readonly credits: number;
  readonly deadlineSeconds: number;
  /** Ends that have a cause by now: whatever else the service says is made up. */
  readonly may: Set<End>;
  end: End | null;
  settlement: Settlement | null;
  /** Something is broken that makes the refund of this very task impossible. */
  isRefundImpossible: boolean;
  /** What a person did about a refund that failed. */
  resolved: 'refunded' | 'written_off' | null;
};

export type Money = {
  readonly accounts: Map<string, AccountMoney>;
  readonly tasks: Map<string, TaskMoney>;
  nowSeconds: number;
};

export type Create = {
  readonly account: string;
  readonly mode: Mode;
  readonly credits: number;
  readonly timeoutSeconds: number;
  readonly named: { readonly name: string; readonly request: string } | null;
};

const daySeconds = 86_400;
const emptyPurse = (): Purse => ({ available: 0, reserved: 0, charged: 0, suspended: 0 });

export const noMoney = (): Money => ({ accounts: new Map(), tasks: new Map(), nowSeconds: 0 });

export function openAccount(money: Money, account: string): void {
  const purses = { live: emptyPurse(), test: emptyPurse() };
  const granted = new Set<string>();
  money.accounts.set(account, { purses, granted, creates: new Map(), isClosed: false });
}

export function closeAccount(money: Money, account: string): void {
  accountOf(money, account).isClosed = true;
}

export type Grant = { readonly mode: Mode; readonly amount: number; readonly reference: string };

export function grant(money: Money, account: string, { mode, amount, reference }: Grant): void {
  const { purses, granted, isClosed } = accountOf(money, account);
  if (granted.has(`${mode} ${reference}`)) return;
  must(!isClosed, `${account} is closed, and was granted ${amount}`);
  granted.add(`${mode} ${reference}`);
  purses[mode].available += amount;
}

/** The create that had this name before, if it still counts. */
export function earlier(money: Money, create: Create) {
  const found = create.named && accountOf(money, create.account).creates.get(nameOf(create));
  return found && money.nowSeconds - found.atSeconds < daySeconds ? found : null;
}

export function accept(money: Money, task: string, create: Create): void {
  const { account, mode, credits, timeoutSeconds, named } = create;
  const { purses, creates, isClosed } = accountOf(money, account);
  must(!money.tasks.has(task), `${task} was accepted twice`);
  must(!isClosed, `${account} is closed, and ${task} was accepted`);
  must(!earlier(money, create), `${task} repeats a create, and was accepted anew`);
  must(purses[mode].available >= credits, `${task} costs more than ${account} has`);
  move(purses[mode], { from: 'available', to: 'reserved', credits });
  const atSeconds = money.nowSeconds;
  if (named) creates.set(nameOf(create), { task, request: named.request, atSeconds });
  const unended = { end: null, settlement: null, isRefundImpossible: false, resolved: null };
  const deadlineSeconds = atSeconds + timeoutSeconds;
  money.tasks.set(task, { account, mode, credits, deadlineSeconds, may: new Set(), ...unended });
}

/** The one settlement of a task; a second is refused whatever it says. */
export function end(money: Money, taskId: string, how: End): void {
  const task = taskOf(money, taskId);
  must(task.end === null, `${taskId} ended as ${task.end}, and then as ${how}`);
  const isLate = money.nowSeconds >= task.deadlineSeconds;
  const isCaused = task.may.has(how) || (how === 'timed_out' && isLate);
  must(isCaused, `${taskId} ended as ${how}, and nothing had happened that could cause it`);
  const { purses, isClosed } = accountOf(money, task.account);
  task.end = how;
  if (how === 'completed') task.settlement = 'charged';
  else task.settlement = isClosed || task.isRefundImpossible ? 'refund_failed' : 'refunded';
  const to = { charged: 'charged', refunded: 'available', refund_failed: 'suspended' } as const;
  const { credits } = task;
  move(purses[task.mode], { from: 'reserved', to: to[task.settlement], credits });
}

/** A person's word about a refund that failed: once. */
export function resolve(money: Money, taskId: string, outcome: 'refunded' | 'written_off'): void {
  const task = taskOf(money, taskId);
  must(task.settlement === 'refund_failed', `${taskId} is ${task.settlement}: not to be resolved`);
  must(task.resolved === null, `${taskId} was resolved twice`);
  task.resolved = outcome;
  if (outcome === 'written_off') return;
  task.settlement = 'refunded';
  const purse = accountOf(money, task.account).purses[task.mode];
  move(purse, { from: 'suspended', to: 'available', credits: task.credits });
}

export function accountOf(money: Money, account: string): AccountMoney {
  const found = money.accounts.get(account);
  must(found !== undefined, `nobody opened ${account}`);
  return found;
}

export function taskOf(money: Money, task: string): TaskMoney {
  const found = money.tasks.get(task);
  must(found !== undefined, `nobody was told of ${task}`);
  return found;
}

type Transfer = { readonly from: keyof Purse; readonly to: keyof Purse; readonly credits: number };

function move(purse: Purse, { from, to, credits }: Transfer): void {
  purse[from] -= credits;
  purse[to] += credits;
  must(purse[from] >= 0, `${from} fell below zero`);
}

const nameOf = ({ mode, named }: Create): string => `${mode} ${named?.name}`;

function must(isSo: boolean, sentence: string): asserts isSo {
  if (!isSo) throw new Error(sentence);
}
