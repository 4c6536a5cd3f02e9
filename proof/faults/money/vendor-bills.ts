/**
 * The simulated vendors keep books of their own and issue bills: an honest one agrees with every
 * cost to the micro, and of one with planted lies exactly the lies are found.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readMargin } from '../../../server/tasks/margin.ts';
import * as bills from '../../../server/tasks/vendor-bills.ts';
import type { BookEntry } from './simulated-upstream.ts';
import type { MoneySimulation } from './simulation.ts';

type KnownCost = {
  readonly operation: string;
  readonly micros: number | null;
  readonly source: string | null;
};

export async function checkVendorBills(simulation: MoneySimulation): Promise<void> {
  const { directDb: db, upstream } = simulation;
  for (const { provider } of upstream.registry.health()) {
    const { rows: known } = await db.query<KnownCost>(
      `select operation, cost_micros as micros, cost_source as source from attempts
       where provider = $1 and operation is not null and outcome is not null`,
      [provider],
    );
    const book = upstream.book(provider);
    const ours = new Set(known.map(({ operation }) => operation));
    // A response that was lost for good: the vendor has an operation that is not known here.
    const foreign = book.filter(({ operation }) => !ours.has(operation)).map(operationOf);
    const billed = known.filter(({ source }) => source === 'bill').map(operationOf);
    await compare(simulation, provider, book, { not_ours: foreign, twice: billed });
    // A simulation may be finished twice.
    if (billed.length > 0) continue;
    await plantLies(simulation, { provider, book, known, foreign });
    await apply(simulation, provider, book);
  }
  const { rows } = await db.query<{ sum: number }>(
    `select coalesce(sum(cost_micros), 0)::bigint as sum from attempts a
     join tasks t on t.id = a.task_id and t.mode = 'live'`,
  );
  const always = { since: new Date(0), until: new Date('2100-01-01') };
  const [total] = await readMargin(db, always, { by: 'total', max: 1 });
  assert.equal(total?.costMicros ?? 0, rows[0]!.sum);
}

const operationOf = ({ operation }: { readonly operation: string }) => operation;

async function plantLies(
  simulation: MoneySimulation,
  bill: {
    readonly provider: string;
    readonly book: readonly BookEntry[];
    readonly known: readonly KnownCost[];
    readonly foreign: readonly string[];
  },
): Promise<void> {
  const { provider, book, known, foreign } = bill;
  const costs = new Map(known.map(({ operation, micros }) => [operation, micros]));
  const certain = book.filter(({ operation }) => (costs.get(operation) ?? null) !== null);
  const lieOf = (entry: BookEntry): Lie | undefined =>
    certain.includes(entry) ? lies[entry.micros % lies.length] : undefined;
  const rows = book.flatMap((entry) => {
    const lie = lieOf(entry);
    if (lie === 'not_billed') return [];
    if (lie === 'differs') return [{ ...entry, micros: entry.micros + 1 }];
    return lie === 'twice' ? [entry, entry] : [entry];
  });
  const told = (lie: Lie) => book.filter((entry) => lieOf(entry) === lie).map(operationOf);
  await compare(simulation, provider, [...rows, { operation: 'op', micros: 1 }], {
    twice: told('twice'),
    differs: told('differs'),
    not_billed: told('not_billed'),
    not_ours: [...foreign, 'op'],
  });
}

const lies = ['twice', 'differs', 'not_billed'] as const;
type Lie = (typeof lies)[number];

type Found = Readonly<Partial<Record<'twice' | 'differs' | 'not_billed' | 'not_ours', string[]>>>;

async function compare(
  { directDb: db }: MoneySimulation,
  provider: string,
  book: readonly BookEntry[],
  expected: Found,
): Promise<void> {
  const bill = { billId: randomUUID(), provider };
  await addLines(db, bill, book);
  const always = { since: new Date(0), until: new Date('2100-01-01') };
  await bills.addNotBilled((work) => db.transaction(work), bill, always);
  for (const kind of ['twice', 'differs', 'not_billed', 'not_ours'] as const) {
    const rows = await bills.readBillRows(db, bill, { after: 0, max: 10_000, kind });
    const found = rows.map(operationOf).toSorted();
    assert.deepEqual(found, (expected[kind] ?? []).toSorted(), `${kind} at ${provider}`);
  }
  await bills.deleteBill(db, bill);
}

function addLines(
  db: MoneySimulation['directDb'],
  bill: { readonly billId: string; readonly provider: string },
  book: readonly BookEntry[],
): Promise<void> {
  const exact = { precisionMicros: 0, isTest: false };
  const lines = book.map((entry, at) => ({ ...entry, ...exact, line: at + 2 }));
  return db.transaction((tx) => bills.addBillLines(tx, bill, lines));
}

/** Then the costs of all that is known are those of the book. */
async function apply(
  { directDb: db }: MoneySimulation,
  provider: string,
  book: readonly BookEntry[],
): Promise<void> {
  const bill = { billId: randomUUID(), provider, digest: 'book' };
  await addLines(db, bill, book);
  await db.transaction((tx) => bills.applyBillSlice(tx, bill, { after: 0 }));
  await bills.deleteBill(db, bill);
  // The same file accuses nobody.
  await addLines(db, bill, book);
  await db.transaction((tx) => bills.matchAppliedSlice(tx, bill, 0));
  assert(!(await bills.sumBill(db, bill)).some(({ kind }) => kind === 'twice'));
  await bills.deleteBill(db, bill);
  const { rows } = await db.query<{ operation: string; micros: number }>(
    `select operation, cost_micros as micros from attempts
     where provider = $1 and cost_source = 'bill' order by 1`,
    [provider],
  );
  const amounts = new Map(book.map(({ operation, micros }) => [operation, micros]));
  const { rowCount } = await db.query(
    `select from attempts where provider = $1 and outcome is not null
       and operation = any($2::text[])`,
    [provider, [...amounts.keys()]],
  );
  assert.equal(rows.length, rowCount);
  for (const { operation, micros } of rows) assert.equal(micros, amounts.get(operation));
}
