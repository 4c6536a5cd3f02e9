/** Parts of the shell that are loaded when they are first used. */
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { type ConfirmMethod, connectClient } from '../api/client.ts';
import { useToastsMounted } from '../components/toast.ts';
import { loadPart } from './load-asset.ts';

const importPalette = async () => (await import('./command-palette.tsx')).CommandPalette;
const importConfirmDialog = async () => (await import('./confirm-session.tsx')).ConfirmSession;
const importToasts = async () => (await import('./toasts.tsx')).Toasts;

/** Null until it is loaded. A part that could not be loaded is tried again with each `request`. */
function usePart<Props>(
  importer: () => Promise<ComponentType<Props>>,
  request: number,
): ComponentType<Props> | null {
  const [part, setPart] = useState<ComponentType<Props> | null>(null);
  useEffect(() => {
    if (request === 0 || part !== null) return;
    void loadPart(importer).then((loaded) => setPart(() => loaded));
  }, [importer, request, part]);
  return part;
}

/** `openCount` grows each time the palette is to open. */
export function LazyCommandPalette({ openCount }: { readonly openCount: number }): ReactNode {
  const CommandPalette = usePart(importPalette, openCount);
  return CommandPalette && <CommandPalette openCount={openCount} />;
}

/** Shows the dialog when the client needs a confirmation. */
export function LazyConfirmSession(): ReactNode {
  const [waiting, setWaiting] = useState<readonly ((confirmed: boolean) => void)[]>([]);
  const [requests, setRequests] = useState(0);
  const [method, setMethod] = useState<ConfirmMethod>('password');
  const ConfirmSession = usePart(importConfirmDialog, requests);
  useEffect(() => {
    connectClient({
      confirmSession: async (needed) => {
        if ((await loadPart(importConfirmDialog)) === null) return false;
        return await new Promise((resolve) => {
          setMethod(needed);
          setWaiting((others) => [...others, resolve]);
          setRequests((count) => count + 1);
        });
      },
    });
  }, []);
  const settle = (confirmed: boolean) => {
    for (const resolve of waiting) resolve(confirmed);
    setWaiting([]);
  };
  if (!ConfirmSession) return null;
  return <ConfirmSession method={method} opened={waiting.length > 0} settle={settle} />;
}

export function LazyToasts(): ReactNode {
  const Toasts = usePart(importToasts, Number(useToastsMounted()));
  return Toasts && <Toasts />;
}
