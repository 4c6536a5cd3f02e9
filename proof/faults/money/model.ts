/**
 * A model of credits: accounts, tasks, settlements, and nothing of the implementation. Everything
 * that must not happen throws.
 */
import type { FailedReason } from '@vidgen/contract/task-status.ts';

export type Mode = 'live' | 'test';
export type TaskEnd = 'completed' | FailedReason;
export type ModelBalance = {
  available: number;
  reserved: number;
  charged: number;
  suspended: number;
};
type Settlement = 'charged' | 'refunded' | 'refund_failed';

export type AccountMoney = {
  readonly balances: Readonly<Record<Mode, ModelBalance>>;
  /** Amounts of grants by mode and reference: each counts once. */
  readonly granted: Map<string, number>;
  /** Creates with an idempotency key, which repeats a create within a day. */
  readonly creates: Map<string, { task: string; request: string; atSeconds: number }>;
  isClosed: boolean;
};

export type TaskMoney = {
  readonly account: string;
  readonly mode: Mode;
  readonly credits: number;
  readonly deadlineSeconds: number;
  /** The ends that have a cause so far; any other end is an error. */
  readonly allowedEnds: Set<TaskEnd>;
  end: TaskEnd | null;
  settlement: Settlement | null;
  /** The simulation has made the refund of this task impossible. */
  isRefundImpossible: boolean;
  /** How an administrator settled a failed refund. */
  resolved: 'refunded' | 'written_off' | null;
};

export type Money = {
  readonly accounts: Map<string, AccountMoney>;
  readonly tasks: Map<string, TaskMoney>;
  nowSeconds: number;
};

export type ModelCreate = {
  readonly account: string;
  readonly mode: Mode;
  readonly credits: number;
  readonly timeoutSeconds: number;
  readonly named: { readonly name: string; readonly request: string } | null;
};

const daySeconds = 86_400;
const emptyBalance = (): ModelBalance => ({ available: 0, reserved: 0, charged: 0, suspended: 0 });

export const noMoney = (): Money => ({ accounts: new Map(), tasks: new Map(), nowSeconds: 0 });

export function openAccount(money: Money, account: string): void {
  const balances = { live: emptyBalance(), test: emptyBalance() };
  const granted = new Map<string, number>();
  money.accounts.set(account, { balances, granted, creates: new Map(), isClosed: false });
}

export function closeAccount(money: Money, account: string): void {
  accountOf(money, account).isClosed = true;
}

export type Grant = { readonly mode: Mode; readonly amount: number; readonly reference: string };

export function grant(money: Money, account: string, { mode, amount, reference }: Grant): void {
  const { balances, granted, isClosed } = accountOf(money, account);
  const before = granted.get(`${mode} ${reference}`);
  invariant(before === undefined || before === amount, 'a reference has one amount');
  if (before !== undefined) return;
  invariant(!isClosed, `${account} is closed, and was granted ${amount}`);
  granted.set(`${mode} ${reference}`, amount);
  balances[mode].available += amount;
}

/** Whether the reference was booked with another amount. */
export function isOtherGrant(money: Money, account: string, { mode, amount, reference }: Grant) {
  const before = accountOf(money, account).granted.get(`${mode} ${reference}`);
  return before !== undefined && before !== amount;
}

/** The earlier create with the same idempotency key, if it is younger than a day. */
export function earlier(money: Money, create: ModelCreate) {
  const found = create.named && accountOf(money, create.account).creates.get(createName(create));
  return found && money.nowSeconds - found.atSeconds < daySeconds ? found : null;
}

export function accept(money: Money, task: string, create: ModelCreate): void {
  const { account, mode, credits, timeoutSeconds, named } = create;
  const { balances, creates, isClosed } = accountOf(money, account);
  invariant(!money.tasks.has(task), `${task} was accepted twice`);
  invariant(!isClosed, `${account} is closed, and ${task} was accepted`);
  invariant(!earlier(money, create), `${task} repeats a create, but was accepted again`);
  invariant(balances[mode].available >= credits, `${task} costs more than ${account} has`);
  move(balances[mode], { from: 'available', to: 'reserved', credits });
  const atSeconds = money.nowSeconds;
  if (named) creates.set(createName(create), { task, request: named.request, atSeconds });
  const unended = { end: null, settlement: null, isRefundImpossible: false, resolved: null };
  const deadlineSeconds = atSeconds + timeoutSeconds;
  money.tasks.set(task, {
    account,
    mode,
    credits,
    deadlineSeconds,
    allowedEnds: new Set(),
    ...unended,
  });
}

/** Settles a task; a second settlement throws. */
export function end(money: Money, taskId: string, how: TaskEnd): void {
  const task = taskOf(money, taskId);
  invariant(task.end === null, `${taskId} ended as ${task.end}, and then as ${how}`);
  const isLate = money.nowSeconds >= task.deadlineSeconds;
  const isCaused = task.allowedEnds.has(how) || (how === 'timed_out' && isLate);
  invariant(isCaused, `${taskId} ended as ${how}, but nothing had happened that could cause it`);
  const { balances, isClosed } = accountOf(money, task.account);
  task.end = how;
  if (how === 'completed') task.settlement = 'charged';
  else task.settlement = isClosed || task.isRefundImpossible ? 'refund_failed' : 'refunded';
  const to = { charged: 'charged', refunded: 'available', refund_failed: 'suspended' } as const;
  const { credits } = task;
  move(balances[task.mode], { from: 'reserved', to: to[task.settlement], credits });
}

/** Settles a failed refund by an administrator; a second time throws. */
export function resolve(money: Money, taskId: string, outcome: 'refunded' | 'written_off'): void {
  const task = taskOf(money, taskId);
  invariant(
    task.settlement === 'refund_failed',
    `${taskId} is ${task.settlement}: not to be resolved`,
  );
  invariant(task.resolved === null, `${taskId} was resolved twice`);
  task.resolved = outcome;
  if (outcome === 'written_off') return;
  task.settlement = 'refunded';
  const balance = accountOf(money, task.account).balances[task.mode];
  move(balance, { from: 'suspended', to: 'available', credits: task.credits });
}

export function accountOf(money: Money, account: string): AccountMoney {
  const found = money.accounts.get(account);
  invariant(found !== undefined, `unknown account ${account}`);
  return found;
}

export function taskOf(money: Money, task: string): TaskMoney {
  const found = money.tasks.get(task);
  invariant(found !== undefined, `unknown task ${task}`);
  return found;
}

type Transfer = {
  readonly from: keyof ModelBalance;
  readonly to: keyof ModelBalance;
  readonly credits: number;
};

function move(balance: ModelBalance, { from, to, credits }: Transfer): void {
  balance[from] -= credits;
  balance[to] += credits;
  invariant(balance[from] >= 0, `${from} fell below zero`);
}

const createName = ({ mode, named }: ModelCreate): string => `${mode} ${named?.name}`;

function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
