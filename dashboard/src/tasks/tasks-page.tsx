/** The task list of an account. Its filters are in the URL. */
import { Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState, NoMatches } from '../components/empty-state.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { LinkButton } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { allTasksColumns, taskColumns } from './task-columns.tsx';
import { TaskFilters } from './task-filters.tsx';
import { readTasksSearch, taskQueryOf } from './tasks-search.ts';

export function TasksPage(): ReactNode {
  const { id, mode } = useAccount();
  // The other filters are those of the list of all accounts.
  const { account, provider, kind, ...search } = readTasksSearch(
    useSearch({ from: '/signed-in/accounts/$account/tasks' }),
  );
  const { set, clear } = useListSearch(search, `/accounts/${id}/tasks`);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Stack gap="lg">
      <PageHeader title="Tasks" description={`All ${mode} tasks, newest first.`} />
      <TasksTable
        name="tasks"
        queryKey={keys.accountPart(id, 'tasks', 'list')}
        path={`/admin/accounts/${id}/tasks`}
        query={{ mode, ...taskQueryOf(search) }}
        filters={<TaskFilters search={search} set={set} clear={clear} account={id} />}
        empty={
          isFiltered ? (
            <NoMatches things="tasks" clear={clear} />
          ) : (
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
          )
        }
      />
    </Stack>
  );
}

/** The admin list of tasks of all accounts. Its filters are in the URL. */
export function AllTasksPage(): ReactNode {
  const search = readTasksSearch(useSearch({ from: '/signed-in/operator/tasks' }));
  const { set, clear } = useListSearch(search, '/operator/tasks');
  return (
    <Stack gap="lg">
      <PageHeader title="All tasks" description="Tasks from all accounts, live and test." />
      <TasksTable
        name="all-tasks"
        queryKey={keys.adminPart('tasks')}
        path="/admin/tasks"
        query={taskQueryOf(search)}
        allAccounts
        filters={<TaskFilters search={search} set={set} clear={clear} />}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatches things="tasks" clear={clear} />
          ) : (
            <EmptyState title="No tasks yet">Tasks of all accounts show up here.</EmptyState>
          )
        }
      />
    </Stack>
  );
}

const tasksRefetchMs = 3000;

/** A table of tasks that updates in place. New tasks are shown on request. */
export function TasksTable(props: {
  /** The name under which the settings of the table are stored. */
  readonly name: string;
  readonly queryKey: readonly unknown[];
  readonly path: string;
  readonly query: Query;
  readonly filters: ReactNode;
  readonly empty: ReactNode;
  /** Adds a column with the account. */
  readonly allAccounts?: true;
}): ReactNode {
  const { name, path, query, queryKey, filters, empty, allAccounts } = props;
  const navigate = useNavigate();
  const list = useCursorList<AdminTask>({ queryKey, path, query, refetchMs: tasksRefetchMs });
  const columns: Column<AdminTask>[] = allAccounts ? allTasksColumns : taskColumns;
  return (
    <>
      <DataTable
        name={name}
        label="Tasks"
        list={list}
        columns={columns}
        rowId={({ id }) => id}
        onOpen={({ id, account_id: account, mode }) =>
          void navigate({
            to: '/accounts/$account/tasks/$task',
            params: { account, task: id },
            search: { mode },
          })
        }
        filters={filters}
        newLabel={['new task', 'new tasks']}
        actions={<ExportMenu path={`${path}/export`} query={query} />}
        empty={empty}
      />
      {list.items.length > 0 ? (
        <Text fz="xs" c="dimmed" visibleFrom="sm">
          Use ↑ ↓ to move, Enter to open, / to search.
        </Text>
      ) : null}
    </>
  );
}
