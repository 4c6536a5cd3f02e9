/** One task: result, request, webhook, attempts, timeline, and everything as JSON. */
import { Grid, Group, Loader, Stack, Text, Timeline } from '@mantine/core';
import { CheckIcon, ClockIcon, Cross2Icon, MinusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { serviceUrl } from '../api/base-path.ts';
import { useSession } from '../api/session.ts';
import { Code, CodeTabs, Copyable } from '../components/code.tsx';
import { FilterRow, FilterTabs, useFilters } from '../components/filters.tsx';
import { Page, SectionCard } from '../components/page.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { ErrorNotice, PageSkeleton } from '../components/states.tsx';
import { PreviewBadge, StatusBadge } from '../components/task-badges.tsx';
import { formatDuration, formatMoney, Label, SmallNote, Timestamp } from '../components/text.tsx';
import { attemptOutcomeLabel } from '../components/value-labels.ts';
import { taskQuery } from '../playground/playground-queries.ts';
import { TaskResult } from '../playground/result-video.tsx';
import { snippetsOf } from '../playground/snippets.ts';
import { NotFound } from '../shell/route-error.tsx';
import { StoryStrip } from '../stories/story-strip.tsx';
import { DeliveryAttempts, ReplayButton } from '../webhooks/delivery-detail.tsx';
import { TaskCredentials } from './content-credentials.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskInputs } from './task-inputs.tsx';
import { type Step, stepsOf } from './timeline-steps.ts';

export function TaskPage() {
  const { task: id } = useParams({ from: '/signed-in/accounts/$account/tasks/$task' });
  const state = useFilters(filters);
  const { part = 'timeline' } = state.values;
  const { data: task, error, refetch } = useQuery(taskQuery(id));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!task) {
    return error ? (
      <ErrorNotice error={error} title="Couldn’t load the task" retry={() => void refetch()} />
    ) : (
      <PageSkeleton hasCards />
    );
  }
  return (
    <Page
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
    >
      <FilterRow {...state} />
      {part === 'timeline' ? <TimelineTab task={task} /> : null}
      {part === 'request' ? <CodeTabs snippets={snippetsOf(task.request, { serviceUrl })} /> : null}
      {part === 'json' ? (
        <Code code={JSON.stringify(task, null, 2)} language="json" label="task" />
      ) : null}
    </Page>
  );
}

const titleCharactersMax = 80;

/** Returns the beginning of the prompt on one line. */
function titleOf(prompt: string): string {
  const characters = Array.from(prompt.replace(/\s+/g, ' ').trim());
  if (characters.length <= titleCharactersMax) return characters.join('');
  return `${characters.slice(0, titleCharactersMax).join('').trimEnd()}…`;
}

const parts = { timeline: 'Timeline', request: 'Code', json: 'Raw JSON' };
const filters = { part: { label: 'Task view', options: parts, Control: FilterTabs } };

function TimelineTab({ task }: { readonly task: AdminTaskDetail }) {
  const { person } = useSession();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg">
          <SectionCard title="Result">
            <TaskResult task={task} />
            <TaskCredentials task={task} />
          </SectionCard>
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
          {person.administrator ? <Attempts task={task} /> : null}
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
function Attempts({ task }: { readonly task: AdminTaskDetail }) {
  const { attempts } = task;
  if (attempts.length === 0) return null;
  return (
    <SectionCard title="Provider attempts">
      <TaskCost task={task} />
      <PlainTable
        label="Provider attempts"
        minWidth={480}
        columns={['Provider', 'Operation ID', 'Outcome', 'Started']}
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

const sources = { reported: 'reported', rule: 'by the rule', bill: 'billed' } as const;

/** What the attempts of a task cost, and what its credits earned, in one line. */
function TaskCost({ task }: { readonly task: AdminTaskDetail }) {
  const costs = task.attempts.flatMap(({ cost }) => cost ?? []);
  const [first] = costs;
  if (!first) return null;
  const { currency } = first;
  const known = costs.flatMap(({ amount }) => amount ?? []);
  const isUnknown = known.length < costs.length;
  const sum = known.reduce((total, amount) => total + amount, 0);
  const names = [...new Set(costs.flatMap(({ source }) => (source ? sources[source] : [])))];
  const cost = isUnknown
    ? known.length === 0
      ? 'unknown'
      : `at least ${formatMoney(sum, currency)}`
    : `${formatMoney(sum, currency)} (${names.join(', ')})`;
  const { revenue } = task;
  const margin = revenue === null || isUnknown ? null : revenue - sum;
  return (
    <Text fz="sm" mb="xs">
      Cost {cost}
      {revenue === null ? '' : ` · earned ${formatMoney(revenue, currency)}`}
      {margin === null ? '' : ` · margin ${formatMoney(margin, currency)}`}
    </Text>
  );
}

/** Operations of providers can be long; their ends differ. */
const operationCharactersMax = 18;

function Operation({ value }: { readonly value: string | null }) {
  if (value === null) return '–';
  const isLong = value.length > operationCharactersMax;
  const displayValue = isLong ? `…${value.slice(-operationCharactersMax)}` : value;
  return <Copyable value={value} label="operation ID" displayValue={displayValue} />;
}

const stateStyles: Readonly<
  Record<Step['state'], { readonly color: string; readonly icon: ReactNode }>
> = {
  done: { color: 'green', icon: <CheckIcon aria-hidden /> },
  failed: { color: 'red', icon: <Cross2Icon aria-hidden /> },
  cancelled: { color: 'gray', icon: <MinusIcon aria-hidden /> },
  running: { color: 'blue', icon: <Loader size={12} color="white" aria-hidden /> },
  upcoming: { color: 'gray', icon: <ClockIcon aria-hidden /> },
};

/** The timeline of a task, with the time between its steps. */
function TaskTimeline({ task }: { readonly task: AdminTaskDetail }) {
  const steps = stepsOf(task);
  return (
    <Timeline bulletSize={22} lineWidth={2} active={steps.length} aria-label="Timeline">
      {steps.map((step, index) => (
        <Timeline.Item
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added at the end
          key={index}
          color={stateStyles[step.state].color}
          bullet={stateStyles[step.state].icon}
          title={
            <Group justify="space-between" wrap="nowrap" align="baseline" gap="xs">
              <Label>{step.title}</Label>
              {step.sinceSeconds === null || step.state === 'upcoming' ? null : (
                <Text fz="xs" c="dimmed" flex="none" style={{ fontVariantNumeric: 'tabular-nums' }}>
                  +{formatDuration(step.sinceSeconds)}
                </Text>
              )}
            </Group>
          }
        >
          <SmallNote>
            {step.description}
            {step.description && step.at !== null ? ' · ' : ''}
            {step.at === null ? null : <Timestamp at={step.at} />}
          </SmallNote>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
