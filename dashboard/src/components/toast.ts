/** Toasts for successful actions; errors are shown where they happen. */
import { notifications } from '@mantine/notifications';

export function toast(message: string): void {
  notifications.show({
    color: 'green',
    role: 'status',
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message,
  });
}
