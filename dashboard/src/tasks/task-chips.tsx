/** The filters of a task list that are set, in words. */
import { useKnownAccount } from '../admin/account-link.tsx';
import { chipsOf, type FilterChip } from '../components/filter-chips.tsx';
import { failedReasonLabels, statusLabels } from '../components/value-labels.ts';
import type { SetTasksSearch, TasksSearch } from './tasks-search.ts';

export function useTaskChips(props: {
  readonly search: TasksSearch;
  readonly set: SetTasksSearch;
}): FilterChip[] {
  const { search, set } = props;
  const account = useKnownAccount(search.account);
  const { status, billing, reason, kind } = search;
  const values = {
    status: ['Status', status && statusLabels[status]],
    account: ['Account', account?.name ?? search.account],
    provider: ['Provider', search.provider],
    kind: ['Mode', kind && (kind === 'test' ? 'Test' : 'Live')],
    model: ['Model', search.model],
    billing: ['Billing', billing && statusLabels[billing]],
    reason: ['Failure', reason && failedReasonLabels[reason]],
    key: ['Key', search.key],
    from: ['From', search.from],
    until: ['To', search.until],
  } as const;
  return chipsOf(values, set);
}
