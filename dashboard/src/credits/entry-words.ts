/**
 * The kinds of ledger entries as a statement tells them, and what each does to what can be spent.
 */
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';

type Words = {
  readonly title: string;
  readonly about: string;
  /** Added to what can be spent: 1, taken from it: -1, or neither. */
  readonly sign: 1 | 0 | -1;
};

export const entryWords: Readonly<Record<LedgerEntry['kind'], Words>> = {
  grant: { title: 'Added', about: 'Credits were added to the account.', sign: 1 },
  reserve: { title: 'Reserved', about: 'Held for a task until it is final.', sign: -1 },
  charge: { title: 'Charged', about: 'The task completed: what was held is spent.', sign: 0 },
  refund: {
    title: 'Refunded',
    about: 'The task did not complete: what was held is back.',
    sign: 1,
  },
  suspend: { title: 'Suspended', about: 'The refund could not be booked and waits.', sign: 0 },
  release: { title: 'Released', about: 'A refund that had to wait was booked.', sign: 1 },
};

export const changeOf = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): number =>
  entryWords[kind].sign * amount;
