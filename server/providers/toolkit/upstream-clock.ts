/** The time at the upstream: what its answers say about ages is by its clock, not by ours. */
import { unixSeconds } from '../../clock.ts';
import type { UpstreamAnswer } from './upstream.ts';

/** By the date of its own answer, in Unix seconds; by our clock where it tells none. */
export function upstreamSeconds({ headers }: Pick<UpstreamAnswer, 'headers'>): number {
  const told = Date.parse(headers.date ?? '');
  return Number.isNaN(told) ? unixSeconds() : Math.floor(told / 1000);
}
