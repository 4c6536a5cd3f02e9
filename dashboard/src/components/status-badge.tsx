/** The status of a task, its billing or a delivery, as a badge. */

import { Badge, type MantineColor } from '@mantine/core';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { ReactNode } from 'react';
import { failedReasonLabels, type Status, statusLabels } from './value-labels.ts';

const colors: Readonly<Record<Status, MantineColor>> = {
  queued: 'gray',
  generating: 'blue',
  completed: 'green',
  failed: 'red',
  reserved: 'gray',
  charged: 'green',
  refunded: 'blue',
  refund_failed: 'red',
  pending: 'yellow',
  delivered: 'green',
  exhausted: 'red',
};

export function StatusBadge({
  status,
  failedReason,
}: {
  readonly status: Status;
  /** Of a task: one that was cancelled did not fail. */
  readonly failedReason?: FailedReason | null;
}): ReactNode {
  if (failedReason === 'cancelled') {
    return (
      <Badge color="gray" variant="light">
        {failedReasonLabels.cancelled}
      </Badge>
    );
  }
  return (
    <Badge color={colors[status]} variant="light">
      {statusLabels[status]}
    </Badge>
  );
}
