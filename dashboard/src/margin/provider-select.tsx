/** A choice of the installation's providers. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FilterSelect, type FilterValue } from '../components/filters.tsx';
import { providersQuery } from '../providers/provider-queries.ts';

export function ProviderSelect(props: FilterValue): ReactNode {
  const { data } = useQuery(providersQuery);
  const names = [...(data?.items.map(({ name }) => name) ?? []), props.value ?? []].flat();
  return (
    <FilterSelect
      {...props}
      label="Provider"
      placeholder="Any provider"
      options={Object.fromEntries(names.map((name) => [name, name]))}
    />
  );
}
