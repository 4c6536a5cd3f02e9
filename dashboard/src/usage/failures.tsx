/** Why tasks failed in a period. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { useAccount } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { SectionCard } from '../components/page.tsx';
import { formatNumber } from '../components/text.tsx';
import { failedReasonLabels } from '../components/value-labels.ts';
import { startOfSpan } from './usage-series.ts';

/** Each reason opens its tasks. */
export function Failures(props: {
  /** A process of the version before sends none. */
  readonly failures: UsageResponse['failures'] | undefined;
  /** Of the period. */
  readonly days: number;
  /** Further filters of the list of tasks. */
  readonly query?: object;
  /** Shown if none failed; without it, nothing is. */
  readonly children?: ReactNode;
}) {
  const { failures = [], days, query, children } = props;
  const { id: account } = useAccount();
  const from = new Date(1000 * startOfSpan(days)).toISOString().slice(0, 10);
  const most = Math.max(...failures.map(({ tasks }) => tasks));
  if (failures.length === 0 && children === undefined) return null;
  return (
    <SectionCard title="Failed tasks by reason">
      {failures.length === 0 ? children : null}
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {failures.map(({ failed_reason: reason, tasks }) => (
          <li key={reason}>
            <Group justify="space-between" gap="xs" mb={4}>
              <TextLink
                to="/accounts/$account/tasks"
                params={{ account }}
                search={{ ...query, from, status: 'failed', failed_reason: reason }}
                fz="sm"
              >
                {failedReasonLabels[reason]}
              </TextLink>
              <Text fz="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {formatNumber(tasks)}
              </Text>
            </Group>
            <Progress
              size={6}
              color={reason === 'cancelled' ? 'gray' : 'red'}
              value={(100 * tasks) / most}
              aria-label={`${failedReasonLabels[reason]}: ${formatNumber(tasks)}`}
            />
          </li>
        ))}
      </Stack>
    </SectionCard>
  );
}
