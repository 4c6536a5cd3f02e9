/**
 * Toasts for successful actions; errors are shown where they happen. The code that renders toasts
 * is loaded with the first one.
 */
import { useSyncExternalStore } from 'react';

let mounted = false;
let listeners: (() => void)[] = [];

/** `undo` adds an undo button, which replaces a confirmation before the action. */
export function toast(message: string, { undo }: { readonly undo?: () => void } = {}): void {
  // Without a connection, the toast of an action that has succeeded is left out.
  show(message, undo).catch(() => {});
}

async function show(message: string, undo: (() => void) | undefined): Promise<void> {
  const { showToast } = await import('./toasts.tsx');
  mounted = true;
  for (const listener of listeners) listener();
  showToast(message, undo);
}

/** True after the first toast, when the container must be rendered. */
export function useToastsMounted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    () => mounted,
  );
}
