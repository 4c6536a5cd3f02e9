/** The container of toasts. */
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

export function Toasts(): ReactNode {
  return <Notifications position="bottom-right" autoClose={6000} />;
}
