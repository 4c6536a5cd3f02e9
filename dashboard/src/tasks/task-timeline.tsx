/** The timeline of a task, with the time between its steps. */
import { Group, Loader, Text, Timeline } from '@mantine/core';
import { CheckIcon, ClockIcon, Cross2Icon, MinusIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { formatDuration } from '../components/format.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { type Step, stepsOf } from './timeline-steps.ts';

const stateStyles: Readonly<
  Record<Step['state'], { readonly color: string; readonly icon: ReactNode }>
> = {
  done: { color: 'green', icon: <CheckIcon aria-hidden /> },
  failed: { color: 'red', icon: <Cross2Icon aria-hidden /> },
  cancelled: { color: 'gray', icon: <MinusIcon aria-hidden /> },
  running: { color: 'blue', icon: <Loader size={12} color="white" aria-hidden /> },
  upcoming: { color: 'gray', icon: <ClockIcon aria-hidden /> },
};

export function TaskTimeline({ task }: { readonly task: AdminTaskDetail }): ReactNode {
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
              <Text fz="sm" fw={500}>
                {step.title}
              </Text>
              {step.sinceSeconds === null || step.state === 'upcoming' ? null : (
                <Text fz="xs" c="dimmed" flex="none" style={{ fontVariantNumeric: 'tabular-nums' }}>
                  +{formatDuration(step.sinceSeconds)}
                </Text>
              )}
            </Group>
          }
        >
          <Text fz="xs" c="dimmed">
            {step.description}
            {step.description && step.at !== null ? ' · ' : ''}
            {step.at === null ? null : <Timestamp at={step.at} />}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
