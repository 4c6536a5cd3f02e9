/** A table of tasks that updates in place. New tasks are shown on request. */
import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { allTasksColumns, taskColumns } from './task-columns.tsx';

const tasksRefetchMs = 3000;

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
        actions={<ExportMenu path={path} query={query} />}
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
