/** Labels of ledger entry kinds, and their effect on the available balance. */
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';

type EntryLabel = {
  readonly title: string;
  readonly description: string;
  /** 1 adds to the available balance, -1 takes from it. */
  readonly sign: 1 | 0 | -1;
};

export const entryLabels: Readonly<Record<LedgerEntry['kind'], EntryLabel>> = {
  grant: { title: 'Added', description: 'Credits were added to the account.', sign: 1 },
  reserve: { title: 'Reserved', description: 'Held for a task until it is final.', sign: -1 },
  charge: { title: 'Charged', description: 'The task completed: what was held is spent.', sign: 0 },
  refund: {
    title: 'Refunded',
    description: 'The task did not complete: what was held is back.',
    sign: 1,
  },
  suspend: {
    title: 'Suspended',
    description: 'The refund could not be booked and waits.',
    sign: 0,
  },
  release: { title: 'Released', description: 'A refund that had to wait was booked.', sign: 1 },
};

export const balanceChange = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): number =>
  entryLabels[kind].sign * amount;
