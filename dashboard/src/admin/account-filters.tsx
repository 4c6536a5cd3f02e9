/** The toolbar of the list of accounts: search, filters, and those that are set. */
import type { ReactNode } from 'react';
import { CollapsibleFilters } from '../components/collapsible-filters.tsx';
import { chipsOf, FilterChips } from '../components/filter-chips.tsx';
import { FilterSelect } from '../components/filter-select.tsx';
import { SearchInput } from '../components/search-input.tsx';
import type { AccountsSearch } from './accounts-search.ts';

const statusOptions = [
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'closed', label: 'Closed' },
] as const;
const balanceOptions = [
  { value: '0', label: 'No credits left' },
  { value: '100', label: '100 or less' },
  { value: '1000', label: '1,000 or less' },
] as const;
const taskOptions = [
  { value: 'true', label: 'With tasks' },
  { value: 'false', label: 'Without tasks' },
] as const;

type Options = readonly { readonly value: string; readonly label: string }[];
const labelOf = (options: Options, value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

export function AccountFilters(props: {
  readonly search: AccountsSearch;
  set(part: { [Name in keyof AccountsSearch]?: AccountsSearch[Name] | undefined }): void;
  clear(): void;
}): ReactNode {
  const { search, set, clear } = props;
  const { q, status, balance, tasks } = search;
  const chips = chipsOf(
    {
      status: ['Status', status && labelOf(statusOptions, status)],
      balance: ['Live balance', balance && labelOf(balanceOptions, balance)],
      tasks: ['Tasks', tasks && labelOf(taskOptions, tasks)],
    },
    set,
  );
  return (
    <>
      <SearchInput
        label="Search accounts"
        placeholder="Name, ID or member"
        value={q}
        onChange={(next) => set({ q: next })}
      />
      <CollapsibleFilters count={chips.length}>
        <FilterSelect
          label="Status"
          placeholder="Any status"
          options={statusOptions}
          value={status}
          onChange={(next) => set({ status: next })}
        />
        <FilterSelect
          label="Live balance"
          placeholder="Any balance"
          options={balanceOptions}
          value={balance}
          onChange={(next) => set({ balance: next })}
        />
        <FilterSelect
          label="Tasks"
          placeholder="With or without tasks"
          width={176}
          options={taskOptions}
          value={tasks}
          onChange={(next) => set({ tasks: next })}
        />
      </CollapsibleFilters>
      <FilterChips chips={chips} clear={clear} />
    </>
  );
}
