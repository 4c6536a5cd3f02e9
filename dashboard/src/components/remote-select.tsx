/** A filter whose values are searched for on the service, such as an account. */
import { Loader, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

type Option = { readonly value: string; readonly label: string };

const pauseMs = 200;

export function RemoteSelect(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly queryKey: readonly unknown[];
  /** Returns the first options that match what was typed. */
  load(search: string): Promise<readonly Option[]>;
  readonly value: string | undefined;
  /** The label of the value, which the options may not contain. */
  readonly valueLabel: string | undefined;
  onChange(value: string | undefined): void;
}): ReactNode {
  const { label, placeholder, queryKey, load, value, valueLabel, onChange } = props;
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [search] = useDebouncedValue(typed === valueLabel ? '' : typed.trim(), pauseMs);
  const { data = [], isFetching } = useQuery({
    queryKey: [...queryKey, search],
    queryFn: () => load(search),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const chosen = value === undefined ? [] : [{ value, label: valueLabel ?? value }];
  const options = [...chosen, ...data.filter((option) => option.value !== value)];
  return (
    <Select
      size="xs"
      w={170}
      aria-label={label}
      placeholder={placeholder}
      searchable
      clearable
      data={options}
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
