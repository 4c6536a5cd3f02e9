/** A filter by model: those of the installation, and the one that is chosen. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FilterSelect, type FilterValue } from '../components/filters.tsx';
import { modelsQuery } from '../playground/playground-queries.ts';

function ModelSelect(props: FilterValue): ReactNode {
  const { data } = useQuery(modelsQuery);
  const names = [...(data?.items.map(({ id }) => id) ?? []), props.value ?? []].flat();
  const options = Object.fromEntries(names.map((name) => [name, name]));
  return <FilterSelect {...props} label="Model" placeholder="Any model" options={options} />;
}

export const modelFilter = { label: 'Model', Control: ModelSelect };
