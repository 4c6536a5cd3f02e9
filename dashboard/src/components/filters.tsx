/** The filters of a list: a search field, selects and days. */
import {
  Button,
  CloseButton,
  Group,
  SegmentedControl,
  Select,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './filters.module.css';
import { type Filters, type FilterValues, readFilters } from './search-params.ts';

/** The value of a filter and the function that changes it; undefined: not set. */
export type FilterValue = {
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
};
type Filter = {
  /** The accessible name. */
  readonly label: string;
  /** Shown without a value, such as "Any status". */
  readonly placeholder?: string;
  /** The values with their labels. */
  readonly options?: Readonly<Record<string, string>>;
  readonly width?: number;
  /** The search field of the list, which comes first and is always shown. */
  readonly isText?: true;
  /** Large screens show it on request. */
  readonly isRare?: true;
  /** Of `FilterTabs`: the value that is chosen without one. */
  readonly usual?: string;
  /** Replaces the select with the options. */
  readonly Control?: (props: FilterValue & Filter) => ReactNode;
};
export type ListFilters = Filters<Filter>;

type FilterBarProps = {
  readonly filters: ListFilters;
  readonly values: FilterValues;
  set(part: FilterValues): void;
  clear(): void;
};

type NamedFilter = readonly [name: keyof FilterValues, filter: Filter];

const fieldOf =
  ({ values, set }: Pick<FilterBarProps, 'values' | 'set'>) =>
  ([name, filter]: NamedFilter): ReactNode => {
    const { Control = filter.isText ? SearchInput : FilterSelect } = filter;
    const onChange = (next: string | undefined) => set({ [name]: next });
    return <Control key={name} {...filter} value={values[name]} onChange={onChange} />;
  };

/** All filters side by side. */
export const FilterRow = (props: Omit<FilterBarProps, 'clear'>) => (
  <Group gap="sm" align="flex-end">
    {(Object.entries(props.filters) as unknown as NamedFilter[]).map(fieldOf(props))}
  </Group>
);

export function FilterBar(props: FilterBarProps) {
  const { filters, values, clear } = props;
  const named = Object.entries(filters) as unknown as NamedFilter[];
  const field = fieldOf(props);
  const selects = named.filter(([, filter]) => !filter.isText);
  const rare = selects.filter(([, { isRare }]) => isRare);
  const chosen = selects.filter(([name]) => values[name] !== undefined);
  if (selects.length < 2) return named.map(field);
  return (
    <>
      {named.filter((one) => !selects.includes(one)).map(field)}
      <Collapsible
        hiddenOn="small"
        label={chosen.length === 0 ? 'Filters' : `Filters (${chosen.length})`}
      >
        {selects.filter((one) => !rare.includes(one)).map(field)}
        {rare.length === 0 ? null : (
          <Collapsible
            hiddenOn="large"
            label="More filters"
            openLabel="Fewer filters"
            startsOpen={rare.some((one) => chosen.includes(one))}
          >
            {rare.map(field)}
          </Collapsible>
        )}
      </Collapsible>
      {chosen.length === 0 ? null : (
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear filters
        </Button>
      )}
    </>
  );
}

/** Filters that some screens hide behind a button. */
function Collapsible(props: {
  readonly hiddenOn: 'small' | 'large';
  readonly label: string;
  readonly openLabel?: string;
  readonly startsOpen?: boolean;
  readonly children: ReactNode;
}) {
  const { hiddenOn, label, openLabel = label, startsOpen = false, children } = props;
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <>
      <Button
        {...(hiddenOn === 'small' ? { hiddenFrom: 'sm' } : { visibleFrom: 'sm' })}
        size="xs"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? openLabel : label}
      </Button>
      <Group gap="xs" className={classes[hiddenOn] ?? ''} data-open={isOpen || undefined}>
        {children}
      </Group>
    </>
  );
}

const typingPauseMs = 250;

/** What is typed takes effect after a short pause. */
function SearchInput(props: Filter & FilterValue) {
  const { label, placeholder, value = '', onChange } = props;
  const [text, setText] = useState(value);
  // The back button and "Clear filters" change the value from outside.
  useEffect(() => setText(value), [value]);
  const send = useDebouncedCallback(
    (next: string) => onChange(next.trim() || undefined),
    typingPauseMs,
  );
  const change = (next: string) => {
    setText(next);
    send(next);
  };
  return (
    <TextInput
      size="xs"
      flex="1 1 14rem"
      maw="24rem"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<MagnifyingGlassIcon aria-hidden />}
      rightSection={
        text === '' ? null : (
          <CloseButton size="xs" aria-label="Clear search" onClick={() => change('')} />
        )
      }
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

export function FilterSelect(props: Filter & FilterValue) {
  const { label, placeholder, options = {}, value, onChange, width = 140 } = props;
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={placeholder}
      clearable
      data={toData(options)}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** Returns options as the controls of Mantine take them. */
export const toData = (options: Readonly<Record<string, string>>) =>
  Object.entries(options).map(([value, label]) => ({ value, label }));

/** A filter with a few values, one of which is always chosen: the first, if no other is usual. */
export function FilterTabs(props: Filter & FilterValue) {
  const { label, options = {}, value, usual = Object.keys(options)[0], onChange } = props;
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={label}
      data={toData(options)}
      value={value ?? usual ?? ''}
      onChange={onChange}
    />
  );
}

/** The time span of a page with charts, in days. */
export const spanFilter = {
  label: 'Time range',
  options: { 7: '7 days', 30: '30 days', 90: '90 days' },
  usual: '30',
  Control: FilterTabs,
};

function DayInput({ label, value, onChange }: Filter & FilterValue) {
  return (
    <TextInput
      type="date"
      size="xs"
      w={166}
      leftSection={<Text fz="xs">{label}</Text>}
      leftSectionWidth={40}
      aria-label={`${label} date (UTC)`}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

/** A range of days in UTC, both inclusive. */
export const dayFilters = {
  from: { label: 'From', Control: DayInput, isRare: true },
  until: { label: 'To', Control: DayInput, isRare: true },
} as const;

/**
 * A chosen filter is a step that the back button undoes; typing is not, and replaces the last step.
 * The list starts at its first page again, in the same order.
 */
export function useFilters<Kind extends Filters>(filters: Kind) {
  const values = readFilters(useSearch({ strict: false }), filters);
  const navigate = useNavigate();
  const go = (next: FilterValues, replace: boolean) =>
    void navigate({
      to: '.',
      search: ((before: { readonly sort?: string; readonly mode?: string }) => ({
        ...('mode' in filters ? {} : { mode: before.mode }),
        ...next,
        sort: before.sort,
      })) as never,
      replace,
      resetScroll: false,
    });
  const replaces = (part: FilterValues) => 'q' in part || 'subject' in part || 'part' in part;
  return {
    filters,
    values,
    set: (part: FilterValues) => go({ ...values, ...part }, replaces(part)),
    clear: () => go({}, false),
  };
}
