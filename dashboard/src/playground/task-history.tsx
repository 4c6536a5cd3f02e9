/** The newest tasks of the account, each of which opens on its page or in the playground. */
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { useAccount } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { SectionCard } from '../components/page.tsx';
import { Loaded } from '../components/states.tsx';
import { Poster, PreviewBadge, StatusBadge } from '../components/task-badges.tsx';
import { formatDuration, Note, SmallNote, Timestamp } from '../components/text.tsx';
import classes from './playground.module.css';
import { historyQuery } from './playground-queries.ts';

export function TaskHistory(props: {
  /** The playground shows this task, and fills its form with the one that is opened. */
  readonly playground?: { readonly taskId: string | null };
}) {
  const { playground } = props;
  const { id: account, mode } = useAccount();
  const query = useQuery(historyQuery({ id: account, mode }));
  return (
    <SectionCard
      title="Recent tasks"
      actions={
        <TextLink to="/accounts/$account/tasks" params={{ account }} fz="sm">
          View all
        </TextLink>
      }
    >
      <Loaded query={query} what="recent tasks" height={108}>
        {({ items }) =>
          items.length === 0 ? (
            <Note>{`Your ${mode} tasks show up here.`}</Note>
          ) : (
            <ul className={classes.history}>
              {items.map((task) => (
                <li key={task.id} aria-current={task.id === playground?.taskId || undefined}>
                  {playground ? (
                    <Link
                      to="/accounts/$account/playground"
                      params={{ account }}
                      search={{ task: task.id }}
                      resetScroll={false}
                      className={classes.historyEntry}
                    >
                      <HistoryEntry task={task} />
                    </Link>
                  ) : (
                    <Link
                      to="/accounts/$account/tasks/$task"
                      params={{ account, task: task.id }}
                      className={classes.historyEntry}
                    >
                      <HistoryEntry task={task} />
                    </Link>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </SectionCard>
  );
}

function HistoryEntry({ task }: { readonly task: AdminTask }) {
  return (
    <>
      <Poster task={task} />
      <div style={{ minWidth: 0 }}>
        <Text fz="sm" truncate>
          {task.prompt}
        </Text>
        <SmallNote truncate>
          {`${task.model} · ${task.resolution} · ${lengthOf(task)} · `}
          <Timestamp at={task.created_at} />
        </SmallNote>
      </div>
      <Group gap={6} wrap="nowrap">
        <StatusBadge status={task.status} failedReason={task.failed_reason} />
        <PreviewBadge task={task} />
      </Group>
    </>
  );
}

const lengthOf = (task: AdminTask): string =>
  task.duration < 0 ? 'edited' : formatDuration(task.duration);
