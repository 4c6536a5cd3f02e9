/** The toolbar of a task list: search, filters, and those that are set. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { keyModes, modelNames } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { AccountSelect, useKnownAccount } from '../admin/account-link.tsx';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { CollapsibleFilters, MoreFilters } from '../components/collapsible-filters.tsx';
import { DayRange } from '../components/day-range.tsx';
import { chipsOf, type FilterChip, FilterChips } from '../components/filter-chips.tsx';
import { FilterSelect } from '../components/filter-select.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { failedReasonLabels, statusLabels, toOptions } from '../components/value-labels.ts';
import {
  billingStatuses,
  failedReasons,
  type SetTasksSearch,
  statuses,
  type TasksSearch,
} from './tasks-search.ts';

type Props = {
  readonly search: TasksSearch;
  readonly set: SetTasksSearch;
  clear(): void;
  /** The account whose keys can be selected; absent for the tasks of all accounts. */
  readonly account?: string;
};

const modelOptions = modelNames.map((name) => ({ value: name, label: name }));
const modeOptions = keyModes.map((mode) => ({
  value: mode,
  label: mode === 'live' ? 'Live' : 'Test',
}));
const taskId = /^task_[0-9a-z]{26}$/;

export function TaskFilters({ search, set, clear, account }: Props): ReactNode {
  const navigate = useNavigate();
  const chips = useTaskChips({ search, set });
  return (
    <>
      <SearchInput
        label="Search tasks"
        placeholder="Words of the prompt, task ID or request ID"
        value={search.q}
        onChange={(q) => set({ q })}
        onPaste={(text) => {
          if (!taskId.test(text)) return false;
          void navigate({ to: '/tasks/$task', params: { task: text } });
          return true;
        }}
      />
      <CollapsibleFilters count={chips.length}>
        <FilterSelect
          label="Status"
          placeholder="Any status"
          options={toOptions(statuses, statusLabels)}
          value={search.status}
          onChange={(status) => set({ status })}
        />
        {account === undefined ? <AllAccountsFilters search={search} set={set} /> : null}
        <FilterSelect
          label="Model"
          placeholder="Any model"
          options={modelOptions}
          value={search.model}
          onChange={(model) => set({ model })}
        />
        {account === undefined ? null : (
          <KeySelect account={account} value={search.key} onChange={(key) => set({ key })} />
        )}
        <MoreFilters>
          {account === undefined ? (
            <FilterSelect
              label="Mode"
              placeholder="Live and test"
              options={modeOptions}
              value={search.kind}
              onChange={(kind) => set({ kind })}
            />
          ) : null}
          <FilterSelect
            label="Billing status"
            placeholder="Any billing status"
            width={160}
            options={toOptions(billingStatuses, statusLabels)}
            value={search.billing}
            onChange={(billing) => set({ billing })}
          />
          <FilterSelect
            label="Failure reason"
            placeholder="Any failure reason"
            width={160}
            options={toOptions(failedReasons, failedReasonLabels)}
            value={search.reason}
            onChange={(reason) => set({ reason })}
          />
          <DayRange range={search} set={set} />
        </MoreFilters>
      </CollapsibleFilters>
      <FilterChips chips={chips} clear={clear} />
    </>
  );
}

function AllAccountsFilters({ search, set }: Pick<Props, 'search' | 'set'>): ReactNode {
  const { data } = useQuery({
    queryKey: keys.adminPart('providers'),
    queryFn: () => get<{ items: ProviderHealth[] }>('/admin/providers'),
    staleTime: 30_000,
  });
  const names = new Set([
    ...(data?.items.map(({ name }) => name) ?? []),
    ...(search.provider ? [search.provider] : []),
  ]);
  return (
    <>
      <AccountSelect value={search.account} onChange={(account) => set({ account })} />
      <FilterSelect
        label="Provider"
        placeholder="Any provider"
        options={[...names].map((name) => ({ value: name, label: name }))}
        value={search.provider}
        onChange={(provider) => set({ provider })}
      />
    </>
  );
}

function KeySelect(props: {
  readonly account: string;
  readonly value: string | undefined;
  onChange(key: string | undefined): void;
}): ReactNode {
  const { account, value, onChange } = props;
  const { data } = useQuery({
    queryKey: keys.accountPart(account, 'keys', 'choice'),
    queryFn: () => get<ListKeysResponse>(`/admin/accounts/${account}/keys`, { limit: 100 }),
    staleTime: 30_000,
  });
  return (
    <FilterSelect
      label="Key"
      placeholder="Any key"
      options={(data?.items ?? []).map(({ id, name, last_four }) => ({
        value: id,
        label: `${name} …${last_four}`,
      }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** The filters of a task list that are set, in words. */
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
