/** The task lists of an account and of all accounts. New tasks are shown on request. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import type { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { accountFilter } from '../admin/account-link.tsx';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { resource } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import {
  dayFilters,
  FilterSelect,
  type FilterValue,
  type ListFilters,
  SearchInput,
} from '../components/filters.tsx';
import { LinkButton } from '../components/links.tsx';
import { ListTable, type ListTableProps } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import {
  billingStatusLabels,
  failedReasonLabels,
  taskStatusLabels,
} from '../components/value-labels.ts';
import { modelFilter } from '../models/model-select.tsx';
import { allTasksColumns, previewNote, taskColumns } from './task-columns.tsx';

export function TasksPage(): ReactNode {
  const { id, mode } = useAccount();
  return (
    <Stack gap="lg">
      <PageHeader title="Tasks" description={`All ${mode} tasks, newest first.`} />
      <TasksTable
        path={`/admin/accounts/${id}/tasks`}
        query={{ mode }}
        filters={accountTaskFilters}
        columns={taskColumns}
        empty={
          <EmptyState
            title="No tasks yet"
            action={
              <LinkButton to="/accounts/$account/playground" params={{ account: id }}>
                Create a video
              </LinkButton>
            }
          >
            Tasks from the playground and the API show up here.
          </EmptyState>
        }
      />
    </Stack>
  );
}

export function AllTasksPage(): ReactNode {
  return (
    <Stack gap="lg">
      <PageHeader title="All tasks" description="Tasks from all accounts, live and test." />
      <TasksTable
        path="/admin/tasks"
        filters={allTaskFilters}
        columns={allTasksColumns}
        empty={<EmptyState title="No tasks yet">Tasks of all accounts show up here.</EmptyState>}
      />
    </Stack>
  );
}

const runningRefetchMs = 3000;

function TasksTable(props: Omit<ListTableProps<AdminTask>, 'label' | 'things'>): ReactNode {
  const navigate = useNavigate();
  return (
    <ListTable<AdminTask>
      {...props}
      label="Tasks"
      things="tasks"
      refetchMs={(tasks) =>
        tasks.some(({ finished_at: end }) => end === null) ? runningRefetchMs : idleRefetchMs
      }
      onOpen={({ id, account_id: account, mode }) =>
        void navigate({
          to: '/accounts/$account/tasks/$task',
          params: { account, task: id },
          search: { mode },
        })
      }
      newLabel={['new task', 'new tasks']}
      note={previewNote}
      exports
    />
  );
}

function ProviderSelect(props: FilterValue): ReactNode {
  const { data } = useQuery({
    ...resource<ListProvidersResponse>('/admin/providers'),
    staleTime: 30_000,
  });
  const names = [...(data?.items.map(({ name }) => name) ?? []), props.value ?? []].flat();
  const options = Object.fromEntries(names.map((name) => [name, name]));
  return <FilterSelect {...props} label="Provider" placeholder="Any provider" options={options} />;
}

function KeySelect(props: FilterValue): ReactNode {
  const { id } = useAccount();
  const { data } = useQuery({
    ...resource<ListKeysResponse>(`/admin/accounts/${id}/keys`, { limit: 100 }),
    staleTime: 30_000,
  });
  const options = Object.fromEntries(
    (data?.items ?? []).map((key) => [key.id, `${key.name} …${key.last_four}`]),
  );
  return <FilterSelect {...props} label="Key" placeholder="Any key" options={options} />;
}

const q = {
  label: 'Search tasks',
  placeholder: 'Words of the prompt, task ID or request ID',
  Control: SearchInput,
  isText: true,
} as const;
const status = { label: 'Status', placeholder: 'Any status', options: taskStatusLabels };
const failed_reason = {
  label: 'Failure',
  placeholder: 'Any failure reason',
  options: failedReasonLabels,
  width: 160,
};
const rareFilters: ListFilters = {
  billing_status: {
    label: 'Billing',
    placeholder: 'Any billing status',
    options: billingStatusLabels,
    width: 160,
    isRare: true,
  },
  ...dayFilters,
};
const accountTaskFilters: ListFilters = {
  q,
  status,
  failed_reason,
  model: modelFilter,
  key_id: { label: 'Key', Control: KeySelect },
  ...rareFilters,
};
const allTaskFilters: ListFilters = {
  q,
  status,
  failed_reason,
  account_id: accountFilter,
  provider: { label: 'Provider', Control: ProviderSelect },
  model: { ...modelFilter, isRare: true },
  mode: {
    label: 'Mode',
    placeholder: 'Live and test',
    options: { live: 'Live', test: 'Test' },
    isRare: true,
  },
  ...rareFilters,
};
