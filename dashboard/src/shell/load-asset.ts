/**
 * Loads parts of the dashboard. After an upgrade a file of the previous build is gone: the page
 * then reloads by itself, once for each build. Without a connection it is kept as it is.
 */
import { lazyRouteComponent as lazyComponent } from '@tanstack/react-router';
import { reportUnreachable, retryConnection } from '../api/connection.ts';

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
export async function loadPart<Part>(importer: () => Promise<Part>): Promise<Part | null> {
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
