/**
 * Where a declared upstream's files are. A public address is fetched through the guard without our
 * key; with it only what is on the configured host.
 */

import type { ResultSource } from '../provider.ts';
import { asText, asUrl } from '../toolkit/answer-values.ts';
import { behindDoor } from '../toolkit/downloads.ts';
import { valueAt } from '../toolkit/json-path.ts';
import type { DeclaredCalls } from './calls.ts';

type Reach = { readonly calls: DeclaredCalls; readonly withKey: boolean };

/** Null where no address stands at that place. */
export function sourceAt(
  json: unknown,
  place: string,
  { calls, withKey }: Reach,
): ResultSource | null {
  const address = asText(valueAt(json, place));
  if (address === undefined) return null;
  // Behind its door an address may be a path; a public one is always whole.
  const own = withKey ? calls.own(address) : null;
  if (own !== null) return ownSource(calls, own);
  const url = asUrl(address);
  return url === undefined ? null : { url };
}

export const ownSource = (calls: DeclaredCalls, url: string): ResultSource =>
  behindDoor(
    (saving) => calls.fetchOwn(url, saving),
    ({ status }) => `HTTP ${status}`,
  );
