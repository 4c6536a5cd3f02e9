/**
 * Credits: grant, deduct, reserve, charge, refund. Entries are appended and never changed.
 *
 * `lockBalances` locks balances, the methods of `LedgerSession` decide in the order they are
 * called, and `flush` appends all entries and updates all balances in two statements. Everything
 * joins the caller's transaction, so credits move in the commit of the task they pay for.
 */
import assert from 'node:assert/strict';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';

export type BalanceKey = { readonly accountId: string; readonly mode: KeyMode };
export type Balance = {
  readonly available: number;
  readonly reserved: number;
  readonly spent: number;
  readonly suspended: number;
};
type BalanceBucket = keyof Balance;

/** Every kind of entry is a transfer from one bucket to another (double entry). */
const transfers = {
  grant: { source: 'outside', target: 'available' },
  deduct: { source: 'available', target: 'outside' },
  reserve: { source: 'available', target: 'reserved' },
  charge: { source: 'reserved', target: 'spent' },
  refund: { source: 'reserved', target: 'available' },
  suspend: { source: 'reserved', target: 'suspended' },
  release: { source: 'suspended', target: 'available' },
} as const satisfies Record<
  string,
  { source: BalanceBucket | 'outside'; target: BalanceBucket | 'outside' }
>;
export type EntryKind = keyof typeof transfers;

type LockedBalance = BalanceKey & { -readonly [Bucket in BalanceBucket]: number } & {
  granted: number;
  lastEntry: number | null;
  readonly closed: boolean;
  readonly transactionTime: Date;
};

export type NewEntry = BalanceKey & {
  readonly number: number;
  readonly kind: EntryKind;
  readonly amount: number;
  readonly after: Balance;
  readonly taskId: string | null;
  readonly note: string | null;
  readonly reference: string | null;
};

export type TaskCredits = BalanceKey & { readonly taskId: string; readonly credits: number };
export type ReserveOutcome =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'insufficient'; readonly available: number }
  | { readonly outcome: 'closed' };

type DeductOutcome =
  | { readonly outcome: 'deducted'; readonly number: number }
  | { readonly outcome: 'insufficient'; readonly available: number };

/**
 * Locks in order of account and mode, so that two transactions on the same balances cannot
 * deadlock.
 */
export async function lockBalances(
  tx: Transaction,
  keys: readonly BalanceKey[],
): Promise<LedgerSession> {
  const wanted = [...new Map(keys.map((key) => [balanceName(key), key])).values()];
  const { rows } = await tx.query(lockBalancesStatement, columnsOf(wanted, ['accountId', 'mode']));
  return new LedgerSession(tx, rows as LockedBalance[]);
}

const lockBalancesStatement: PreparedStatement = {
  name: 'lock_balances',
  text: `select b.account_id as "accountId", b.mode, b.available, b.reserved, b.spent, b.suspended,
           b.granted, b.last_entry as "lastEntry", b.closed, now() as "transactionTime"
         from unnest($1::uuid[], $2::text[]) as wanted (account_id, mode)
         join balances b on b.account_id = wanted.account_id and b.mode = wanted.mode
         order by b.account_id, b.mode
         for no key update of b`,
};

export class LedgerSession {
  readonly #tx: Transaction;
  readonly #balances: Map<string, LockedBalance>;
  readonly #entries: NewEntry[] = [];

  constructor(tx: Transaction, balances: readonly LockedBalance[]) {
    this.#tx = tx;
    this.#balances = new Map(balances.map((balance) => [balanceName(balance), { ...balance }]));
  }

  /** When the transaction began, by the database's clock: the `created_at` of its rows. */
  transactionTime(key: BalanceKey): Date {
    return this.#get(key).transactionTime;
  }

  isClosed(key: BalanceKey): boolean {
    return this.#get(key).closed;
  }

  grant(key: BalanceKey, grant: { amount: number; note: string | null; reference: string | null }) {
    assert(Number.isSafeInteger(grant.amount) && grant.amount > 0);
    return this.#move('grant', key, { taskId: null, ...grant });
  }

  /** Takes back available credits, with a note; never more than there are. */
  deduct(
    key: BalanceKey,
    deduction: { amount: number; note: string; reference: string | null },
  ): DeductOutcome {
    assert(Number.isSafeInteger(deduction.amount) && deduction.amount > 0);
    const { available } = this.#get(key);
    if (available < deduction.amount) return { outcome: 'insufficient', available };
    const { number } = this.#move('deduct', key, { taskId: null, ...deduction });
    return { outcome: 'deducted', number };
  }

  reserve(task: TaskCredits): ReserveOutcome {
    const balance = this.#get(task);
    if (balance.closed) return { outcome: 'closed' };
    if (balance.available < task.credits) {
      return { outcome: 'insufficient', available: balance.available };
    }
    this.#settle('reserve', task);
    return { outcome: 'reserved' };
  }

  /** Always the reserved amount; the database rejects any other. */
  charge(task: TaskCredits): void {
    this.#settle('charge', task);
  }

  /** A closed account takes no refund: the caller suspends the credits for an admin to decide. */
  refund(task: TaskCredits): { readonly outcome: 'refunded' | 'closed' } {
    if (this.isClosed(task)) return { outcome: 'closed' };
    this.#settle('refund', task);
    return { outcome: 'refunded' };
  }

  suspend(task: TaskCredits): void {
    this.#settle('suspend', task);
  }

  /** An admin's refund of suspended credits: the only entry that a closed account still takes. */
  release(task: TaskCredits, note: string): void {
    this.#move('release', task, {
      amount: task.credits,
      taskId: task.taskId,
      note,
      reference: null,
    });
  }

  async flush(): Promise<void> {
    if (this.#entries.length === 0) return;
    const moved = new Set(this.#entries.map(balanceName));
    await Promise.all([
      appendEntries(this.#tx, this.#entries),
      writeBalances(
        this.#tx,
        [...this.#balances.values()].filter((balance) => moved.has(balanceName(balance))),
      ),
    ]);
    this.#entries.length = 0;
  }

  #settle(kind: EntryKind, { taskId, credits, ...key }: TaskCredits): void {
    this.#move(kind, key, { amount: credits, taskId, note: null, reference: null });
  }

  #move(
    kind: EntryKind,
    { accountId, mode }: BalanceKey,
    details: Pick<NewEntry, 'amount' | 'taskId' | 'note' | 'reference'>,
  ): NewEntry {
    const balance = this.#get({ accountId, mode });
    const { source, target } = transfers[kind];
    if (source === 'outside') balance.granted += details.amount;
    else balance[source] -= details.amount;
    if (target === 'outside') balance.granted -= details.amount;
    else balance[target] += details.amount;
    balance.lastEntry = (balance.lastEntry ?? 0) + 1;
    const { available, reserved, spent, suspended } = balance;
    const after = { available, reserved, spent, suspended };
    const entry = { accountId, mode, kind, number: balance.lastEntry, after, ...details };
    this.#entries.push(entry);
    return entry;
  }

  #get(key: BalanceKey): LockedBalance {
    const found = this.#balances.get(balanceName(key));
    assert(found, 'a balance that was not locked cannot be moved');
    return found;
  }
}

export const balanceName = ({ accountId, mode }: BalanceKey): string => `${accountId} ${mode}`;

async function appendEntries(tx: Transaction, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map(({ after, ...entry }) => ({
    ...entry,
    ...transfers[entry.kind],
    ...after,
  }));
  await tx.query(appendEntriesStatement, [JSON.stringify(rows)]);
}

const appendEntriesStatement: PreparedStatement = {
  name: 'append_entries',
  text: `insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
           available_after, reserved_after, spent_after, suspended_after, task_id, note, reference)
         select "accountId", mode, number, kind, source, target, amount,
           available, reserved, spent, suspended, "taskId", note, reference
         from jsonb_to_recordset($1::jsonb) as e("accountId" uuid, mode text, number bigint,
           kind text, source text, target text, amount bigint, available bigint, reserved bigint,
           spent bigint, suspended bigint, "taskId" text, note text, reference text)`,
};

async function writeBalances(tx: Transaction, balances: readonly LockedBalance[]): Promise<void> {
  await tx.query(writeBalancesStatement, columnsOf(balances, writtenColumns));
}

const writtenColumns = [
  ...(['accountId', 'mode', 'available', 'reserved', 'spent', 'suspended', 'granted'] as const),
  'lastEntry',
] as const;

/** One array per column, for `unnest`: the planner expects few rows of it, and uses the indexes. */
function columnsOf<R>(rows: readonly R[], columns: readonly (keyof R)[]): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}

const writeBalancesStatement: PreparedStatement = {
  name: 'write_balances',
  text: `update balances b
         set available = p.available, reserved = p.reserved, spent = p.spent,
           suspended = p.suspended, granted = p.granted, last_entry = p.last_entry
         from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
             $6::bigint[], $7::bigint[], $8::bigint[])
           as p(account_id, mode, available, reserved, spent, suspended, granted, last_entry)
         where b.account_id = p.account_id and b.mode = p.mode`,
};

/** A new account has 0 credits in both modes. */
export async function createBalances(tx: Transaction, accountId: string): Promise<void> {
  await tx.query(`insert into balances (account_id, mode) values ($1, 'live'), ($1, 'test')`, [
    accountId,
  ]);
}

/**
 * A closed account takes no grant, reservation or refund; existing reservations are still settled.
 */
export async function closeBalances(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('update balances set closed = true where account_id = $1', [accountId]);
}

export async function findBalances(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, Record<KeyMode, Balance>>> {
  const { rows } = await db.query<BalanceKey & Balance>(
    `select account_id as "accountId", mode, available, reserved, spent, suspended
     from balances where account_id = any($1::uuid[])`,
    [accountIds],
  );
  const zero: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };
  const found = new Map<string, Record<KeyMode, Balance>>();
  for (const { accountId, mode, ...balance } of rows) {
    const both = found.get(accountId) ?? { live: zero, test: zero };
    found.set(accountId, { ...both, [mode]: balance });
  }
  return found;
}
