/**
 * Toasts: said politely to screen readers, and about what went well. What went wrong is told where
 * it happened. What shows them is loaded with the first one.
 */
import { useSyncExternalStore } from 'react';

let mounted = false;
let listeners: (() => void)[] = [];

/** `undo` is offered where a step can be taken back: then nobody needs to be asked before it. */
export function toast(message: string, { undo }: { readonly undo?: () => void } = {}): void {
  void show(message, undo);
}

async function show(message: string, undo: (() => void) | undefined): Promise<void> {
  const { showToast } = await import('./show-toast.tsx');
  mounted = true;
  for (const listener of listeners) listener();
  showToast(message, undo);
}

/** Whether there has been one: from then on there must be a place for them. */
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
