/** Parts of the shell that are loaded when they are first used. */
import { lazyRouteComponent as lazyComponent } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { type ConfirmMethod, connectClient } from '../api/client.ts';
import { reportUnreachable, retryConnection } from '../api/connection.ts';
import { useToastsMounted } from '../components/toast.ts';

const importPalette = async () => (await import('./command-palette.tsx')).CommandPalette;
const importConfirmDialog = async () => (await import('./confirm-session.tsx')).ConfirmSession;
const importToasts = async () => (await import('../components/toasts.tsx')).Toasts;

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

/** A file of the dashboard could not be loaded. */
export class AssetUnavailable extends Error {
  constructor() {
    super('This page couldn’t be loaded.');
  }
}

const storageKey = 'vidgen.reloaded';

/** As the router's, except that a page without a connection is not reloaded. */
export const lazyRouteComponent = ((importer: () => Promise<object>, name: never) =>
  lazyComponent(() => importer().catch(toUnavailable), name)) as typeof lazyComponent;

/** Of an import that failed. Other errors of a module are bugs, and are thrown as they are. */
function toUnavailable(error: unknown): never {
  const isLoadError = /dynamically imported module|module script failed|preload CSS/i;
  throw isLoadError.test(String(error)) ? new AssetUnavailable() : error;
}

/** Loads a part of the shell; null if it is not available now, and may be asked for again. */
async function loadPart<Part>(importer: () => Promise<Part>): Promise<Part | null> {
  try {
    return await importer();
  } catch {
    await recoverAsset();
    return null;
  }
}

/**
 * Reloads the page if the service responds, which has a newer build then. Does not return if it
 * reloads.
 */
export async function recoverAsset(): Promise<'offline' | 'reloaded before'> {
  if (!(await retryConnection())) {
    reportUnreachable();
    return 'offline';
  }
  // The name is of the content; the path before it is relative to the page.
  const entry = document.querySelector('script[type="module"]')?.getAttribute('src');
  const build = entry?.split('/').at(-1) ?? 'unknown';
  // Of two builds behind one proxy, each is tried once.
  const tried = (sessionStorage.getItem(storageKey) ?? '').split(' ');
  if (tried.includes(build)) return 'reloaded before';
  sessionStorage.setItem(storageKey, [...tried, build].join(' '));
  location.reload();
  return await new Promise(() => {});
}
