/** The task lists of an account and of all accounts. New tasks are shown on request. */

import { useNavigate } from '@tanstack/react-router';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { accountFilter } from '../admin/account-link.tsx';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import { dayFilters, type ListFilters } from '../components/filters.tsx';
import { LinkButton } from '../components/links.tsx';
import { ListTable, type ListTableProps } from '../components/list-table.tsx';
import { keyFilter, modelFilter, providerFilter } from '../components/name-filters.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/states.tsx';
import {
  billingStatusLabels,
  failedReasonLabels,
  taskStatusLabels,
} from '../components/value-labels.ts';
import { allTasksColumns, previewNote, taskColumns } from './task-columns.tsx';

export function TasksPage() {
  const { id, mode } = useAccount();
  return (
    <Page title="Tasks" description={`All ${mode} tasks of this account.`}>
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
    </Page>
  );
}

export function AllTasksPage() {
  return (
    <Page title="All tasks" description="Tasks from all accounts, live and test.">
      <TasksTable
        path="/admin/tasks"
        filters={allTaskFilters}
        columns={allTasksColumns}
        empty={<EmptyState title="No tasks yet">Tasks of all accounts show up here.</EmptyState>}
      />
    </Page>
  );
}

const runningRefetchMs = 3000;

function TasksTable(props: Omit<ListTableProps<AdminTask>, 'label' | 'things'>) {
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

const q = {
  label: 'Search tasks',
  placeholder: 'Prompt, task ID or request ID',
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
  key_id: keyFilter,
  ...rareFilters,
};
const allTaskFilters: ListFilters = {
  q,
  status,
  failed_reason,
  account_id: accountFilter,
  provider: providerFilter,
  model: { ...modelFilter, isRare: true },
  mode: {
    label: 'Mode',
    placeholder: 'Live and test',
    options: { live: 'Live', test: 'Test' },
    isRare: true,
  },
  ...rareFilters,
};
