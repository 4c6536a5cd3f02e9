/** Toasts: their container, and one with an undo button where the action can be undone. */
import '@mantine/notifications/styles.layer.css';
import { Button, Group, Text } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

export function showToast(message: string, undo: (() => void) | undefined): void {
  const id = `toast-${Date.now()}-${message}`;
  const undoAndHide = () => {
    undo?.();
    notifications.hide(id);
  };
  notifications.show({
    id,
    color: 'green',
    role: 'status',
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: undo ? (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text fz="sm">{message}</Text>
        <Button size="compact-xs" variant="light" onClick={undoAndHide}>
          Undo
        </Button>
      </Group>
    ) : (
      message
    ),
  });
}

/** The container of toasts. */
export function Toasts(): ReactNode {
  return <Notifications position="bottom-right" autoClose={6000} />;
}
