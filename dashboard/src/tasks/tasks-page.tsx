/** The task list of an account. Its filters are in the URL. */
import { Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { LinkButton } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SavedViews } from './saved-views.tsx';
import { TaskFilters } from './task-filters.tsx';
import { readTasksSearch, type TasksSearch, taskQueryOf } from './tasks-search.ts';
import { TasksTable } from './tasks-table.tsx';

export function TasksPage(): ReactNode {
  const { id, mode } = useAccount();
  const search = readTasksSearch(useSearch({ from: '/signed-in/accounts/$account/tasks' }));
  const navigate = useNavigate({ from: '/accounts/$account/tasks' });
  const change = (next: TasksSearch) =>
    void navigate({
      search: ({ sort }) => ({ mode, ...next, ...(sort ? { sort } : {}) }),
      replace: true,
    });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Stack gap="lg">
      <PageHeader
        title="Tasks"
        description={`All ${mode} tasks, newest first.`}
        actions={<SavedViews search={search} onChoose={change} />}
      />
      <TasksTable
        name="tasks"
        queryKey={keys.accountPart(id, 'tasks', 'list')}
        path={`/admin/accounts/${id}/tasks`}
        query={{ mode, ...taskQueryOf(search) }}
        filters={<TaskFilters search={search} onChange={change} account={id} />}
        empty={
          isFiltered ? (
            <EmptyState title="No matching tasks">Try changing or clearing the filters.</EmptyState>
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
