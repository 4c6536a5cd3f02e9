/** Filters by what has a name: a model, a provider or a key, and by what the service finds. */
import { Loader, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import { useState } from 'react';
import { resource } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { modelsQuery } from '../playground/playground-queries.ts';
import { providersQuery } from '../providers/provider-queries.ts';
import { FilterSelect, type FilterValue } from './filters.tsx';

type Choices = readonly (readonly [value: string, label: string])[];

/** The value stays chosen where it is not offered. */
const nameFilter = (label: string, useChoices: () => Choices | undefined) => ({
  label,
  Control: function NameSelect(props: FilterValue) {
    const chosen = [props.value ?? []].flat().map((one) => [one, one] as const);
    const options = Object.fromEntries([...chosen, ...(useChoices() ?? [])]);
    const placeholder = `Any ${label.toLowerCase()}`;
    return <FilterSelect {...props} label={label} placeholder={placeholder} options={options} />;
  },
});

export const modelFilter = nameFilter('Model', () =>
  useQuery(modelsQuery).data?.items.map(({ id }) => [id, id]),
);
export const providerFilter = nameFilter('Provider', () =>
  useQuery(providersQuery).data?.items.map(({ name }) => [name, name]),
);
/** Of the account of the page. */
export const keyFilter = nameFilter('Key', () => {
  const path = `/admin/accounts/${useAccount().id}/keys`;
  const query = { ...resource<ListKeysResponse>(path, { limit: 100 }), staleTime: 30_000 };
  return useQuery(query).data?.items.map((key) => [key.id, `${key.name} …${key.last_four}`]);
});

const remotePauseMs = 200;

/** A filter whose values are searched for on the service, such as an account. */
export function RemoteSelect(
  props: FilterValue & {
    readonly label: string;
    readonly placeholder: string;
    /** Returns the first options that match what was typed. */
    load(search: string): Promise<readonly { readonly value: string; readonly label: string }[]>;
    /** A field of a form instead of a filter. */
    readonly isField?: boolean;
    /** The label of the value, which the options may not contain. */
    readonly valueLabel: string | undefined;
  },
) {
  const { label, placeholder, load, isField, value, valueLabel, onChange } = props;
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [search] = useDebouncedValue(typed === valueLabel ? '' : typed.trim(), remotePauseMs);
  const { data = [], isFetching } = useQuery({
    queryKey: ['choices', label, search],
    queryFn: () => load(search),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const chosen = value === undefined ? [] : [{ value, label: valueLabel ?? value }];
  return (
    <Select
      {...(isField ? { size: 'sm' } : { size: 'xs', w: 170 })}
      aria-label={label}
      placeholder={placeholder}
      searchable
      clearable
      data={[...chosen, ...data.filter((option) => option.value !== value)]}
      // The service has searched already, also in what the label does not show.
      filter={({ options: all }) => all}
      nothingFoundMessage={isFetching ? 'Searching…' : 'No results'}
      {...(isFetching && isOpen ? { rightSection: <Loader size={12} /> } : {})}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}
