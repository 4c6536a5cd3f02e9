/**
 * Where a declared upstream's files are. A public address is fetched through the guard without our
 * key; with it only what is on the configured host.
 */
import { rm } from 'node:fs/promises';
import { asText, asUrl } from '../answer-values.ts';
import { valueAt } from '../json-path.ts';
import type { DownloadResult, ResultSource } from '../provider.ts';
import type { DownloadOutcome } from '../upstream.ts';
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
  if (own !== null) return behindDoor(calls, own);
  const url = asUrl(address);
  return url === undefined ? null : { url };
}

export const behindDoor = (calls: DeclaredCalls, url: string): ResultSource => {
  const download: DownloadResult = async (saving) =>
    downloadAnswer(await calls.fetchOwn(url, saving), saving.into);
  return { download };
};

async function downloadAnswer(outcome: DownloadOutcome, into: string) {
  switch (outcome.kind) {
    case 'saved':
      // A proxy's page, or an error with the wrong status.
      if (!/^(text\/|application\/json)/.test(outcome.contentType)) return { saved: true } as const;
      await rm(into, { force: true });
      return { saved: false, detail: `it is ${outcome.contentType}, no video` } as const;
    case 'answered':
      return { saved: false, detail: `HTTP ${outcome.status}` } as const;
    default:
      return { saved: false, detail: outcome.detail } as const;
  }
}
