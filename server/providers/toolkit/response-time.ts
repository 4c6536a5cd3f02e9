/** The time at the upstream: what its answers say about ages is by its clock, not by ours. */
import { unixSeconds } from '../../clock.ts';
import type { UpstreamResponse } from './upstream.ts';

/** By the date of its own answer, in Unix seconds; by our clock where it tells none. */
export function upstreamSeconds({ headers }: Pick<UpstreamResponse, 'headers'>): number {
  const dateMs = Date.parse(headers.date ?? '');
  return Number.isNaN(dateMs) ? unixSeconds() : Math.floor(dateMs / 1000);
}
