/**
 * Credits: grant, reserve, charge, refund. Entries are appended and never changed.
 *
 * `openBooks` locks the balances it is about to move, the verbs decide one by one in the order they
 * are called, and `write` appends every entry and brings every balance to its last entry,
 * set-based. All of it joins the caller's transaction, so credits move in the commit of the task
 * they pay for.
 */
import assert from 'node:assert/strict';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../database/database.ts';

export type Purse = { readonly accountId: string; readonly mode: KeyMode };
export type Balance = {
  readonly available: number;
  readonly reserved: number;
  readonly spent: number;
  readonly suspended: number;
};
type Pocket = keyof Balance;

/** Every way credits move: from where, to where (Decision: double entry). */
const transfers = {
  grant: { source: 'outside', target: 'available' },
  reserve: { source: 'available', target: 'reserved' },
  charge: { source: 'reserved', target: 'spent' },
  refund: { source: 'reserved', target: 'available' },
  suspend: { source: 'reserved', target: 'suspended' },
  release: { source: 'suspended', target: 'available' },
} as const satisfies Record<string, { source: Pocket | 'outside'; target: Pocket }>;
export type TransferKind = keyof typeof transfers;

type OpenPurse = Purse & {
  available: number;
  reserved: number;
  spent: number;
  suspended: number;
  granted: number;
  lastEntry: number | null;
  readonly closed: boolean;
  readonly openedAt: Date;
};

export type NewEntry = Purse & {
  readonly number: number;
  readonly kind: TransferKind;
  readonly amount: number;
  readonly after: Balance;
  readonly taskId: string | null;
  readonly note: string | null;
  readonly reference: string | null;
};

export type TaskCredits = Purse & { readonly taskId: string; readonly credits: number };
export type ReserveOutcome =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'insufficient'; readonly available: number }
  | { readonly outcome: 'closed' };

/**
 * Locks in one order, so that two processes that touch the same accounts never wait for each other.
 */
export async function openBooks(tx: Transaction, purses: readonly Purse[]): Promise<Books> {
  const wanted = JSON.stringify(purses.map(({ accountId, mode }) => ({ a: accountId, m: mode })));
  const { rows } = await tx.query(
    `select account_id as "accountId", mode, available, reserved, spent, suspended, granted,
            last_entry as "lastEntry", closed, now() as "openedAt"
     from balances
     where (account_id, mode) in (
       select a, m from jsonb_to_recordset($1::jsonb) as w(a uuid, m text))
     order by account_id, mode
     for no key update`,
    [wanted],
  );
  return new Books(tx, rows as OpenPurse[]);
}

export class Books {
  readonly #tx: Transaction;
  readonly #purses: Map<string, OpenPurse>;
  readonly #entries: NewEntry[] = [];

  constructor(tx: Transaction, purses: readonly OpenPurse[]) {
    this.#tx = tx;
    this.#purses = new Map(purses.map((purse) => [nameOf(purse), { ...purse }]));
  }

  available(purse: Purse): number {
    return this.#get(purse).available;
  }

  /** When the transaction began, by the database's clock: what its rows have as `created_at`. */
  openedAt(purse: Purse): Date {
    return this.#get(purse).openedAt;
  }

  isClosed(purse: Purse): boolean {
    return this.#get(purse).closed;
  }

  grant(purse: Purse, grant: { amount: number; note: string | null; reference: string | null }) {
    assert(Number.isSafeInteger(grant.amount) && grant.amount > 0);
    return this.#move('grant', purse, { taskId: null, ...grant });
  }

  reserve(task: TaskCredits): ReserveOutcome {
    const purse = this.#get(task);
    if (purse.closed) return { outcome: 'closed' };
    if (purse.available < task.credits) {
      return { outcome: 'insufficient', available: purse.available };
    }
    this.#settle('reserve', task);
    return { outcome: 'reserved' };
  }

  /** Always the reserved amount; the database refuses any other (Decision: amount charged). */
  charge(task: TaskCredits): void {
    this.#settle('charge', task);
  }

  /** Not into a closed account: the caller then suspends, and an operator decides. */
  refund(task: TaskCredits): { readonly outcome: 'refunded' | 'closed' } {
    if (this.isClosed(task)) return { outcome: 'closed' };
    this.#settle('refund', task);
    return { outcome: 'refunded' };
  }

  suspend(task: TaskCredits): void {
    this.#settle('suspend', task);
  }

  /** The operator's late refund: the one booking a closed account still takes. */
  release(task: TaskCredits, note: string): void {
    this.#move('release', task, {
      amount: task.credits,
      taskId: task.taskId,
      note,
      reference: null,
    });
  }

  async write(): Promise<void> {
    if (this.#entries.length === 0) return;
    await appendEntries(this.#tx, this.#entries);
    const moved = new Set(this.#entries.map(nameOf));
    await writeBalances(
      this.#tx,
      [...this.#purses.values()].filter((p) => moved.has(nameOf(p))),
    );
    this.#entries.length = 0;
  }

  #settle(kind: TransferKind, { taskId, credits, ...purse }: TaskCredits): void {
    this.#move(kind, purse, { amount: credits, taskId, note: null, reference: null });
  }

  #move(
    kind: TransferKind,
    { accountId, mode }: Purse,
    moved: Pick<NewEntry, 'amount' | 'taskId' | 'note' | 'reference'>,
  ): NewEntry {
    const purse = this.#get({ accountId, mode });
    const { source, target } = transfers[kind];
    if (source === 'outside') purse.granted += moved.amount;
    else purse[source] -= moved.amount;
    purse[target] += moved.amount;
    purse.lastEntry = (purse.lastEntry ?? 0) + 1;
    const { available, reserved, spent, suspended } = purse;
    const after = { available, reserved, spent, suspended };
    const entry = { accountId, mode, kind, number: purse.lastEntry, after, ...moved };
    this.#entries.push(entry);
    return entry;
  }

  #get(purse: Purse): OpenPurse {
    const found = this.#purses.get(nameOf(purse));
    assert(found, 'a balance that was not locked cannot be moved');
    return found;
  }
}

const nameOf = ({ accountId, mode }: Purse): string => `${accountId} ${mode}`;

async function appendEntries(tx: Transaction, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map(({ after, ...entry }) => ({
    ...entry,
    ...transfers[entry.kind],
    ...after,
  }));
  await tx.query(
    `insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
       available_after, reserved_after, spent_after, suspended_after, task_id, note, reference)
     select "accountId", mode, number, kind, source, target, amount,
       available, reserved, spent, suspended, "taskId", note, reference
     from jsonb_to_recordset($1::jsonb) as e("accountId" uuid, mode text, number bigint, kind text,
       source text, target text, amount bigint, available bigint, reserved bigint, spent bigint,
       suspended bigint, "taskId" text, note text, reference text)`,
    [JSON.stringify(rows)],
  );
}

async function writeBalances(tx: Transaction, purses: readonly OpenPurse[]): Promise<void> {
  await tx.query(
    `update balances b
     set available = p.available, reserved = p.reserved, spent = p.spent,
         suspended = p.suspended, granted = p.granted, last_entry = p."lastEntry"
     from jsonb_to_recordset($1::jsonb) as p("accountId" uuid, mode text, available bigint,
       reserved bigint, spent bigint, suspended bigint, granted bigint, "lastEntry" bigint)
     where b.account_id = p."accountId" and b.mode = p.mode`,
    [JSON.stringify(purses)],
  );
}

/** A new account has 0 credits in both modes. */
export async function openBalances(tx: Transaction, accountId: string): Promise<void> {
  await tx.query(`insert into balances (account_id, mode) values ($1, 'live'), ($1, 'test')`, [
    accountId,
  ]);
}

/** From here on nothing is granted, reserved or refunded; what is reserved is still settled. */
export async function closeBalances(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('update balances set closed = true where account_id = $1', [accountId]);
}

export async function findBalances(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, Record<KeyMode, Balance>>> {
  const { rows } = await db.query<Purse & Balance>(
    `select account_id as "accountId", mode, available, reserved, spent, suspended
     from balances where account_id = any($1::uuid[])`,
    [accountIds],
  );
  const nothing: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };
  const found = new Map<string, Record<KeyMode, Balance>>();
  for (const { accountId, mode, ...balance } of rows) {
    const both = found.get(accountId) ?? { live: nothing, test: nothing };
    found.set(accountId, { ...both, [mode]: balance });
  }
  return found;
}
