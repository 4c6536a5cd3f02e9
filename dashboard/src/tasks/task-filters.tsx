/** The filters of a task list, and the input that opens a task by its ID. */

import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { failedReasonLabels, statusLabels, toOptions } from '../components/value-labels.ts';
import classes from './task-filters.module.css';
import {
  billingStatuses,
  failedReasons,
  statuses,
  type TasksSearch,
  withoutEmpty,
} from './tasks-search.ts';

type Props = {
  readonly search: TasksSearch;
  onChange(next: TasksSearch): void;
  /** The account whose keys can be selected; absent for the tasks of all accounts. */
  readonly account?: string;
};

const modelOptions = modelNames.map((name) => ({ value: name, label: name }));

export function TaskFilters({ search, onChange, account }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(search).length;
  const set = (part: { [Name in keyof TasksSearch]?: TasksSearch[Name] | undefined }) =>
    onChange(withoutEmpty({ ...search, ...part } as Parameters<typeof withoutEmpty>[0]));
  const selectProps = (
    name: 'status' | 'billing' | 'reason' | 'model',
    options: readonly { readonly value: string; readonly label: string }[],
  ) => ({
    size: 'xs',
    w: 148,
    clearable: true,
    data: options,
    value: search[name] ?? null,
    onChange: (value: string | null) => set({ [name]: value ?? undefined } as Partial<TasksSearch>),
  });
  return (
    <>
      <OpenById />
      {/* On small screens the filters are hidden until they are opened. */}
      <Button
        hiddenFrom="sm"
        size="xs"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <Group gap="xs" className={classes.filters ?? ''} data-open={isOpen || undefined}>
        <Select
          aria-label="Status"
          placeholder="Any status"
          {...selectProps('status', toOptions(statuses, statusLabels))}
        />
        <Select
          aria-label="Model"
          placeholder="Any model"
          {...selectProps('model', modelOptions)}
        />
        <Select
          aria-label="Billing status"
          placeholder="Any billing status"
          {...selectProps('billing', toOptions(billingStatuses, statusLabels))}
        />
        <Select
          aria-label="Failure reason"
          placeholder="Any failure reason"
          {...selectProps('reason', toOptions(failedReasons, failedReasonLabels))}
        />
        {account === undefined ? null : (
          <KeySelect account={account} value={search.key} onChange={(key) => set({ key })} />
        )}
        <DayInput label="From" value={search.from} onChange={(from) => set({ from })} />
        <DayInput label="To" value={search.until} onChange={(until) => set({ until })} />
        {count > 0 ? (
          <Button size="xs" variant="subtle" onClick={() => onChange({})}>
            Clear filters
          </Button>
        ) : null}
      </Group>
    </>
  );
}

function OpenById(): ReactNode {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | null>(null);
  const open = (event: FormEvent) => {
    event.preventDefault();
    const id = field.current?.value.trim() ?? '';
    if (/^task_[0-9a-z]{26}$/.test(id))
      return void navigate({ to: '/tasks/$task', params: { task: id } });
    setError(id === '' ? null : 'Not a valid task ID');
  };
  return (
    <form onSubmit={open}>
      <TextInput
        ref={field}
        size="xs"
        w={200}
        aria-label="Open a task by ID"
        placeholder="Paste a task ID"
        leftSection={<MagnifyingGlassIcon aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        error={error}
        onChange={() => setError(null)}
        onPaste={(event) => {
          const id = event.clipboardData.getData('text').trim();
          if (!/^task_[0-9a-z]{26}$/.test(id)) return;
          event.preventDefault();
          void navigate({ to: '/tasks/$task', params: { task: id } });
        }}
      />
    </form>
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
  const apiKeys = data?.items ?? [];
  return (
    <Select
      size="xs"
      w={128}
      aria-label="Key"
      placeholder="Any key"
      clearable
      data={apiKeys.map(({ id, name, last_four }) => ({
        value: id,
        label: `${name} …${last_four}`,
      }))}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

function DayInput(props: {
  readonly label: string;
  readonly value: string | undefined;
  onChange(day: string | undefined): void;
}): ReactNode {
  return (
    <TextInput
      type="date"
      size="xs"
      w={176}
      leftSection={<Text fz="xs">{props.label}</Text>}
      leftSectionWidth={44}
      aria-label={`${props.label} date (UTC)`}
      value={props.value ?? ''}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value || undefined)}
    />
  );
}
