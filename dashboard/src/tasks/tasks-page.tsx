/** The task list of an account. Its filters are in the URL. */
import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { LinkButton } from '../components/links.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { TaskFilters } from './task-filters.tsx';
import { readTasksSearch, taskQueryOf } from './tasks-search.ts';
import { TasksTable } from './tasks-table.tsx';

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
