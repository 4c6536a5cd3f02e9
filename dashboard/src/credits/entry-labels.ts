/** Labels of ledger entry kinds, and their effect on the available balance. */
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';

type EntryLabel = {
  readonly title: string;
  readonly description: string;
  /** 1 adds to the available balance, -1 takes from it. */
  readonly sign: 1 | 0 | -1;
};

export const entryLabels: Readonly<Record<LedgerEntry['kind'], EntryLabel>> = {
  grant: { title: 'Added', description: 'Added to the account.', sign: 1 },
  deduct: { title: 'Removed', description: 'Removed by an administrator.', sign: -1 },
  reserve: { title: 'Reserved', description: 'Reserved while the task runs.', sign: -1 },
  charge: { title: 'Charged', description: 'Charged when the task completed.', sign: 0 },
  refund: {
    title: 'Refunded',
    description: 'Refunded because the task failed.',
    sign: 1,
  },
  suspend: {
    title: 'Suspended',
    description: 'The refund needs manual review.',
    sign: 0,
  },
  release: { title: 'Released', description: 'A pending refund was approved.', sign: 1 },
};

export const balanceChange = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): number =>
  entryLabels[kind].sign * amount;
