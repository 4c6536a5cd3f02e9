/** The filters of a task list that are set, in words. */
import type { ReactNode } from 'react';
import { useKnownAccount } from '../admin/account-link.tsx';
import type { FilterChip } from '../components/filter-chips.tsx';
import { failedReasonLabels, statusLabels } from '../components/value-labels.ts';
import type { SetTasksSearch, TasksSearch } from './tasks-search.ts';

export function useTaskChips(props: {
  readonly search: TasksSearch;
  readonly set: SetTasksSearch;
}): FilterChip[] {
  const { search, set } = props;
  const account = useKnownAccount(search.account);
  const { status, billing, reason, kind } = search;
  const values: { readonly [Name in keyof TasksSearch]: readonly [string, ReactNode] } = {
    status: ['Status', status && statusLabels[status]],
    account: ['Account', account?.name ?? search.account],
    provider: ['Provider', search.provider],
    kind: ['Mode', kind === 'test' ? 'Test' : 'Live'],
    model: ['Model', search.model],
    billing: ['Billing', billing && statusLabels[billing]],
    reason: ['Failure', reason && failedReasonLabels[reason]],
    key: ['Key', search.key],
    from: ['From', search.from],
    until: ['To', search.until],
  };
  return Object.entries(values)
    .filter(([name]) => search[name as keyof TasksSearch] !== undefined)
    .map(([name, [title, value]]) => ({
      name: title,
      value,
      remove: () => set({ [name]: undefined }),
    }));
}
