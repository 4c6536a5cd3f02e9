/** The status of a task, its billing or a delivery, as a badge. */
import { Badge, type MantineColor } from '@mantine/core';
import type { Delivery } from '@vidgen/contract/admin-tasks.ts';
import type { BillingStatus, TaskStatus } from '@vidgen/contract/task-status.ts';
import type { ReactNode } from 'react';

type BadgeStatus = TaskStatus | BillingStatus | Delivery['status'];

const badges: Readonly<Record<BadgeStatus, readonly [label: string, color: MantineColor]>> = {
  queued: ['Queued', 'gray'],
  generating: ['Generating', 'blue'],
  completed: ['Completed', 'green'],
  failed: ['Failed', 'red'],
  reserved: ['Reserved', 'gray'],
  charged: ['Charged', 'green'],
  refunded: ['Refunded', 'blue'],
  refund_failed: ['Refund failed', 'red'],
  pending: ['Pending', 'yellow'],
  delivered: ['Delivered', 'green'],
  exhausted: ['Exhausted', 'red'],
};

export function StatusBadge({ status }: { readonly status: BadgeStatus }): ReactNode {
  const [label, color] = badges[status];
  return (
    <Badge color={color} variant="light">
      {label}
    </Badge>
  );
}
