/**
 * Commits the outcomes of several leased jobs together. An item whose lease was lost changes
 * nothing: lost leases are rare, so they are found after writing, and the others written again.
 */
import type { Database, Transaction } from '../../database/database.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';

type LeasedItem = { readonly job: Job };

/** What `write` found: the jobs still leased to this worker, and an outcome for each item. */
export type Written<Outcome> = {
  readonly leased: ReadonlySet<number>;
  readonly outcomes: readonly Outcome[];
};

class LeasesLost extends Error {
  readonly leased: ReadonlySet<number>;

  constructor(leased: ReadonlySet<number>) {
    super('leases were lost');
    this.leased = leased;
  }
}

/** Returns the outcomes in the order of the items: `LeaseLost` for those whose lease was lost. */
export async function commitLeased<Item extends LeasedItem, Outcome>(
  db: Database,
  items: readonly Item[],
  write: (tx: Transaction, items: readonly Item[]) => Promise<Written<Outcome>>,
): Promise<(Outcome | LeaseLost)[]> {
  try {
    return await db.transaction(async (tx) => {
      const { leased, outcomes } = await write(tx, items);
      if (items.some(({ job }) => !leased.has(job.id))) throw new LeasesLost(leased);
      return [...outcomes];
    });
  } catch (error) {
    if (!(error instanceof LeasesLost)) throw error;
    const left = items.filter(({ job }) => error.leased.has(job.id));
    const outcomes = left.length > 0 ? await commitLeased(db, left, write) : [];
    return items.map((item) => {
      const at = left.indexOf(item);
      return at === -1 ? new LeaseLost(item.job) : outcomes[at]!;
    });
  }
}

/** Throws the outcome if it is a lost lease. */
export function requireLeased<Outcome>(outcome: Outcome | LeaseLost): Outcome {
  if (outcome instanceof LeaseLost) throw outcome;
  return outcome;
}
