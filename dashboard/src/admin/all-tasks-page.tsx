/** The admin list of tasks of all accounts. Its filters are in the URL. */
import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../api/query-client.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { TaskFilters } from '../tasks/task-filters.tsx';
import { readTasksSearch, taskQueryOf } from '../tasks/tasks-search.ts';
import { TasksTable } from '../tasks/tasks-table.tsx';

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
