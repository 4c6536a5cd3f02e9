/**
 * Finds a start whose response was lost in an upstream's list. `absent` allows a second start, so
 * every doubt is `unknown`.
 */
import type { FindResult } from '../provider.ts';
import type { ReadResult } from './client.ts';
import type { UpstreamResponse } from './upstream.ts';

export const unknownFind = (detail: string): FindResult => ({ outcome: 'unknown', detail });

/** Not in the list. The upstream may still create it until `settleSeconds` after the start. */
export const absentOnceSettled = (times: {
  readonly secondsSinceStart: number;
  readonly settleSeconds: number;
}): FindResult =>
  times.secondsSinceStart >= times.settleSeconds
    ? { outcome: 'absent' }
    : unknownFind('not in the list, but it may still appear');

export const unreadableFind = (result: ReadResult): FindResult => {
  if (result.kind === 'throttled') return unknownFind('too many reads are waiting');
  const isResponse = result.kind === 'response';
  return unknownFind(isResponse ? `list not readable: HTTP ${result.status}` : result.detail);
};

/** Returns the parsed body and the response of a read, or `unknown` when it cannot be read. */
export function readList<Body>(
  result: ReadResult,
  parse: (json: unknown) => Body | undefined,
): { readonly list: Body; readonly response: UpstreamResponse } | FindResult {
  if (result.kind !== 'response' || result.status !== 200) return unreadableFind(result);
  const list = parse(result.json);
  return list === undefined ? unreadableFind(result) : { list, response: result };
}

/**
 * True when a page is sorted newest first and reaches back before `seconds`. The order is only
 * trusted when the page itself shows it.
 */
export function endsBefore(
  items: readonly { readonly createdSeconds: number | undefined }[],
  seconds: number,
): boolean {
  const created = items.map(({ createdSeconds }) => createdSeconds ?? Number.POSITIVE_INFINITY);
  const newestFirst = created.every((value, index) => index === 0 || value <= created[index - 1]!);
  return newestFirst && created.length > 0 && created.at(-1)! < seconds;
}
