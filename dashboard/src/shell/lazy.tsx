/** Parts of the dashboard that are loaded when they are first used. */
import { lazyRouteComponent as lazyComponent } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ConfirmMethod, connectClient } from '../api/client.ts';
import { reportUnreachable, retryConnection } from '../api/connection.ts';

type Dialog = typeof import('./confirm-session.tsx')['ConfirmSession'];

/** Shows the dialog when the client needs a confirmation. */
export function LazyConfirmSession() {
  const [waiting, setWaiting] = useState<readonly ((confirmed: boolean) => void)[]>([]);
  const [method, setMethod] = useState<ConfirmMethod>('password');
  const [ConfirmSession, setDialog] = useState<Dialog | null>(null);
  useEffect(() => {
    connectClient({
      confirmSession: async (needed) => {
        const loaded = await import('./confirm-session.tsx').catch(recoverAsset);
        if (typeof loaded === 'string') return false;
        setDialog(() => loaded.ConfirmSession);
        setMethod(needed);
        return await new Promise((resolve) => setWaiting((others) => [...others, resolve]));
      },
    });
  }, []);
  const settle = (confirmed: boolean) => {
    for (const resolve of waiting) resolve(confirmed);
    setWaiting([]);
  };
  return (
    ConfirmSession && <ConfirmSession method={method} opened={waiting.length > 0} settle={settle} />
  );
}

/** A file of the dashboard could not be loaded. */
export class AssetUnavailable extends Error {
  constructor() {
    super('This page couldn’t be loaded.');
  }
}

const storageKey = 'vidgen.reloaded';

/** Does what the router's does, but reloads no page without a connection. */
export const lazyRouteComponent = ((importer: () => Promise<object>, name: never) =>
  lazyComponent(() => importer().catch(toUnavailable), name)) as typeof lazyComponent;

/** Of an import that failed. Other errors of a module are bugs, and are thrown as they are. */
function toUnavailable(error: unknown): never {
  const isLoadError = /dynamically imported module|module script failed|preload CSS/i;
  throw isLoadError.test(String(error)) ? new AssetUnavailable() : error;
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
