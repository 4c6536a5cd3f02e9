/**
 * Where a declared upstream's files are. A public address is fetched through the guard without our
 * key; with it only what is on the configured host.
 */

import type { ResultSource } from '../provider.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { valueAt } from '../toolkit/json-path.ts';
import { asText, asUrl } from '../toolkit/response-values.ts';
import type { DeclaredCalls } from './calls.ts';

type SourceOptions = { readonly calls: DeclaredCalls; readonly withKey: boolean };

/** Null where no address stands at that place. */
export function sourceAt(
  json: unknown,
  path: string,
  { calls, withKey }: SourceOptions,
): ResultSource | null {
  const urlOrPath = asText(valueAt(json, path));
  if (urlOrPath === undefined) return null;
  // Behind its door an address may be a path; a public one is always whole.
  const hostUrl = withKey ? calls.resolveOnHost(urlOrPath) : null;
  if (hostUrl !== null) return sourceWithKey(calls, hostUrl);
  const url = asUrl(urlOrPath);
  return url === undefined ? null : { url };
}

export const sourceWithKey = (calls: DeclaredCalls, url: string): ResultSource =>
  authenticatedSource(
    (saveOptions) => calls.fetchWithKey(url, saveOptions),
    ({ status }) => `HTTP ${status}`,
  );
