/** One task: result, request, webhook, attempts, timeline, and everything as JSON. */

import { Grid, Group, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { serviceUrl } from '../api/base-path.ts';
import { useSession } from '../api/session.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { Copyable } from '../components/copyable.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { PreviewBadge } from '../components/preview-badge.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { attemptOutcomeLabel } from '../components/value-labels.ts';
import { snippetsOf } from '../playground/snippets.ts';
import { NotFound } from '../shell/not-found.tsx';
import { StoryStrip } from '../stories/story-strip.tsx';
import { DeliveryAttempts, ReplayButton } from '../webhooks/delivery-detail.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskInputs } from './task-inputs.tsx';
import { liveTaskQuery } from './task-query.ts';
import { TaskResult } from './task-result.tsx';
import { type TaskPart, taskParts } from './task-search.ts';
import { TaskTimeline } from './task-timeline.tsx';

export function TaskPage(): ReactNode {
  const { task: id } = useParams({ from: '/signed-in/accounts/$account/tasks/$task' });
  const { part = 'timeline' } = useSearch({ from: '/signed-in/accounts/$account/tasks/$task' });
  const navigate = useNavigate({ from: '/accounts/$account/tasks/$task' });
  const { data: task, error, refetch } = useQuery(liveTaskQuery(id));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!task) {
    return error ? (
      <ErrorNotice error={error} title="Couldn’t load the task" retry={() => void refetch()} />
    ) : (
      <PageSkeleton />
    );
  }
  const show = (chosen: TaskPart) =>
    void navigate({ search: (before) => ({ ...before, part: chosen }), replace: true });
  return (
    <Stack gap="lg">
      <PageHeader
        title={titleOf(task.prompt)}
        description={
          <Group gap="sm" component="span">
            <Copyable value={id} label="task ID" />
            <span aria-live="polite">
              <StatusBadge status={task.status} failedReason={task.failed_reason} />{' '}
              <StatusBadge status={task.billing_status} /> <PreviewBadge task={task} />
            </span>
          </Group>
        }
        actions={<TaskActions task={task} />}
      />
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="Task view"
        data={taskParts.map((value) => ({ value, label: partNames[value] }))}
        value={part}
        onChange={show}
      />
      {part === 'timeline' ? <TimelineTab task={task} /> : null}
      {part === 'request' ? <CodeTabs snippets={snippetsOf(task.request, { serviceUrl })} /> : null}
      {part === 'json' ? (
        <Code code={JSON.stringify(task, null, 2)} language="json" label="task" />
      ) : null}
    </Stack>
  );
}

const titleCharactersMax = 80;

/** Returns the beginning of the prompt on one line. */
function titleOf(prompt: string): string {
  const characters = Array.from(prompt.replace(/\s+/g, ' ').trim());
  if (characters.length <= titleCharactersMax) return characters.join('');
  return `${characters.slice(0, titleCharactersMax).join('').trimEnd()}…`;
}

const partNames: Readonly<Record<TaskPart, string>> = {
  timeline: 'Timeline',
  request: 'Code',
  json: 'Raw JSON',
};

function TimelineTab({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const { person } = useSession();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg">
          <TaskResult task={task} />
          <StoryStrip task={task} />
          <TaskInputs task={task} />
          {task.delivery ? (
            <SectionCard
              title="Webhook"
              actions={
                <Group gap="xs">
                  <StatusBadge status={task.delivery.status} />
                  <ReplayButton delivery={task.delivery} />
                </Group>
              }
            >
              <DeliveryAttempts delivery={task.delivery} />
            </SectionCard>
          ) : null}
          {person.administrator ? <Attempts attempts={task.attempts} /> : null}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <SectionCard title="Timeline">
          <TaskTimeline task={task} />
        </SectionCard>
      </Grid.Col>
    </Grid>
  );
}

/** Shown to administrators only. */
function Attempts({ attempts }: { readonly attempts: AdminTaskDetail['attempts'] }): ReactNode {
  if (attempts.length === 0) return null;
  return (
    <SectionCard title="Provider attempts">
      <PlainTable
        label="Provider attempts"
        minWidth={480}
        columns={[
          { title: 'Provider' },
          { title: 'Operation ID' },
          { title: 'Outcome' },
          { title: 'Started' },
        ]}
        rows={attempts.map((attempt) => ({
          id: String(attempt.number),
          cells: [
            attempt.provider,
            <Operation key="operation" value={attempt.operation} />,
            [attemptOutcomeLabel(attempt.outcome ?? 'In progress'), attempt.detail, attempt.loss]
              .filter((text) => text !== null)
              .join(': '),
            <Timestamp key="started" at={attempt.started_at} />,
          ],
        }))}
      />
    </SectionCard>
  );
}

/** Operations of providers can be long; their ends differ. */
const operationCharactersMax = 18;

function Operation({ value }: { readonly value: string | null }): ReactNode {
  if (value === null) return '–';
  const isLong = value.length > operationCharactersMax;
  const displayValue = isLong ? `…${value.slice(-operationCharactersMax)}` : value;
  return <Copyable value={value} label="operation ID" displayValue={displayValue} />;
}
