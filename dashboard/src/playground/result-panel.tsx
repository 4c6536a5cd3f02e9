/** The result of the current task: progress, video or failure. Without a task, sample prompts. */
import { Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { Copyable } from '../components/code.tsx';
import { TextLink } from '../components/links.tsx';
import { Loaded } from '../components/states.tsx';
import { PreviewBadge, StatusBadge } from '../components/task-badges.tsx';
import { Credits, Note, SmallNote } from '../components/text.tsx';
import { StoryStrip } from '../stories/story-strip.tsx';
import { CancelTask, RetryTask } from '../tasks/task-actions.tsx';
import { IgnoredFields } from '../tasks/task-inputs.tsx';
import type { FormType } from './generation-form.ts';
import classes from './playground.module.css';
import { isFinal, taskQuery } from './playground-queries.ts';
import { TaskResult, VideoFrame } from './result-video.tsx';

export function ResultPanel(props: {
  readonly taskId: string | null;
  readonly isCreating: boolean;
  /** The examples are of this type. */
  readonly type: FormType;
  onRetried(taskId: string): void;
  onSample(prompt: string): void;
}) {
  const { taskId, isCreating, type, onSample, onRetried } = props;
  return (
    <Paper withBorder p="md" component="section" aria-label="Result">
      {isCreating ? (
        <VideoFrame ratio="adaptive">
          <Note role="status">Creating task…</Note>
        </VideoFrame>
      ) : taskId === null ? (
        <Samples type={type} onSample={onSample} />
      ) : (
        <PlaygroundResult key={taskId} taskId={taskId} onRetried={onRetried} />
      )}
    </Paper>
  );
}

function Samples(props: { readonly type: FormType; onSample(prompt: string): void }) {
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>Your video will appear here</Title>
        <Note mt={2}>Write a prompt or try an example.</Note>
      </div>
      <Stack gap="xs">
        {samplePrompts[props.type].map((prompt) => (
          <UnstyledButton
            key={prompt}
            className={classes.sample}
            onClick={() => props.onSample(prompt)}
          >
            {prompt}
          </UnstyledButton>
        ))}
      </Stack>
    </Stack>
  );
}

function PlaygroundResult(props: { readonly taskId: string; onRetried(taskId: string): void }) {
  const { taskId, onRetried } = props;
  return (
    <Loaded query={useQuery(taskQuery(taskId))} what="the task" height={320}>
      {(task) => <TaskSummary task={task} onRetried={onRetried} />}
    </Loaded>
  );
}

function TaskSummary(props: { readonly task: AdminTaskDetail; onRetried(taskId: string): void }) {
  const { task, onRetried } = props;
  return (
    <Stack gap="sm">
      <TaskResult task={task} />
      <Text fz="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
        {task.prompt}
      </Text>
      <IgnoredFields task={task} />
      <Group justify="space-between" gap="xs">
        <Group gap="xs" role="status">
          <StatusBadge status={task.status} failedReason={task.failed_reason} />
          <PreviewBadge task={task} />
          <SmallNote>
            <Credits amount={task.credits} unit /> {billingLabels[task.billing_status]}
          </SmallNote>
        </Group>
        <TextLink
          to="/accounts/$account/tasks/$task"
          params={{ account: task.account_id, task: task.id }}
          fz="sm"
        >
          Open task
        </TextLink>
      </Group>
      <Group justify="space-between" gap="xs">
        <Copyable value={task.id} label="task ID" />
        {isFinal(task.status) ? (
          <RetryTask task={task} onCreated={onRetried} />
        ) : (
          <CancelTask task={task} />
        )}
      </Group>
      <StoryStrip task={task} />
    </Stack>
  );
}

const billingLabels = {
  reserved: 'reserved',
  charged: 'charged',
  refunded: 'refunded',
  refund_failed: 'refund in review',
} as const;

/** The preview draws all of them. */
const samplePrompts: Readonly<Record<FormType, readonly string[]>> = {
  'text-to-video': [
    'A paper boat drifts across a quiet lake at dusk, slow dolly in',
    'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
    'Sunflowers sway in a field in golden backlight, slow dolly in',
    'A snowy village at night, warm windows between the pines, snow falling slowly',
  ],
  'image-to-video': [
    'The camera drifts slowly to the right while clouds pass',
    'Slow zoom in, soft evening light, leaves stir in the wind',
    'The camera rises and snow begins to fall',
  ],
  'reference-to-video': [
    'The character of image 1 walks along a beach at sunset',
    'The product of image 1 turns on a marble table, soft studio light',
    'A quiet street at night, cut to the rhythm of audio 1',
  ],
  'video-editing': [
    'Make it night, with a full moon',
    'Make it snow',
    'Give it the look of an old film, black and white',
  ],
  'video-extension': [
    'The camera keeps moving forward as the sun sets',
    'It begins to rain, and the lights come on',
    'The camera rises until everything below is small',
  ],
};
