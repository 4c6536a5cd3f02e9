/** Runs an async action and tracks its state; toasts say that one is done. */

import { notifications } from '@mantine/notifications';
import { useState } from 'react';

export function useAsyncAction(action: () => Promise<unknown>) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  /** A handler for `onSubmit` and `onClick`. */
  const run = async (event: { preventDefault(): void }): Promise<void> => {
    event.preventDefault();
    setPending(true);
    setError(null);
    try {
      await action();
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setPending(false);
    }
  };
  return { isPending, error, run };
}

export function toast(message: string): void {
  notifications.show({
    color: 'green',
    role: 'status',
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message,
  });
}
