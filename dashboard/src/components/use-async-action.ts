/** What a form or a button does at the service: whether it is under way, and why it failed. */
import { useState } from 'react';

export function useAsyncAction(action: () => Promise<void>) {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  /** For `onSubmit` and `onClick` alike. */
  const run = async (event: { preventDefault(): void }): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      await action();
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, error, run };
}
