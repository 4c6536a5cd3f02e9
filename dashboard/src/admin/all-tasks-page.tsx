/** The admin list of tasks of all accounts. Its filters are in the URL. */
import { Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../api/query-client.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TaskFilters } from '../tasks/task-filters.tsx';
import { readTasksSearch, taskQueryOf } from '../tasks/tasks-search.ts';
import { TasksTable } from '../tasks/tasks-table.tsx';

export function AllTasksPage(): ReactNode {
  const search = readTasksSearch(useSearch({ from: '/signed-in/operator/tasks' }));
  const navigate = useNavigate({ from: '/operator/tasks' });
  return (
    <Stack gap="lg">
      <PageHeader title="All tasks" description="Tasks from all accounts, live and test." />
      <TasksTable
        name="all-tasks"
        queryKey={keys.adminPart('tasks')}
        path="/admin/tasks"
        query={taskQueryOf(search)}
        allAccounts
        filters={
          <TaskFilters
            search={search}
            onChange={(next) =>
              void navigate({
                search: ({ sort }) => ({ ...next, ...(sort ? { sort } : {}) }),
                replace: true,
              })
            }
          />
        }
        empty={
          <EmptyState title="No matching tasks">Try changing or clearing the filters.</EmptyState>
        }
      />
    </Stack>
  );
}
