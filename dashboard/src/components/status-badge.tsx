/** The status of a task, its billing or a delivery, as a badge. */

import { Badge, type MantineColor } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Status, statusLabels } from './value-labels.ts';

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

export function StatusBadge({ status }: { readonly status: Status }): ReactNode {
  return (
    <Badge color={colors[status]} variant="light">
      {statusLabels[status]}
    </Badge>
  );
}
