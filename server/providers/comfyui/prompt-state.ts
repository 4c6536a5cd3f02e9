/**
 * Where a prompt stands. The queue is read before the history: a prompt goes from one to the other
 * in one step, so what is in neither is on the server no more, or never was.
 */

import { upstreamSeconds } from '../toolkit/response-time.ts';
import { parseRetryAfter } from '../toolkit/response-values.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ComfyCalls } from './calls.ts';
import { detailOf } from './errors.ts';
import { type FinishedPrompt, readHistory, readQueue } from './wire.ts';

export type PromptState =
  | { readonly state: 'queued' | 'running'; readonly ageSeconds: number }
  | { readonly state: 'ended'; readonly finished: FinishedPrompt }
  | { readonly state: 'absent' }
  /** Others look as well: it is told when its own turn would be. */
  | { readonly state: 'busy'; readonly waitSeconds: number }
  /** Nobody can tell. Without a detail it is nothing to tell an operator of. */
  | { readonly state: 'unclear'; readonly detail?: string; readonly waitSeconds?: number };

/** A prompt that is in neither is looked for twice before it counts as absent. */
const lookupsMax = 2;

export async function findPrompt(
  calls: ComfyCalls,
  operation: string,
  signal?: AbortSignal,
): Promise<PromptState> {
  for (let lookups = 1; lookups <= lookupsMax; lookups++) {
    const queue = await calls.queue(signal);
    const queued = isRead(queue) ? readQueue(queue.json, operation) : undefined;
    if (queued === undefined) return unclear(queue, 'the answer is no queue');
    if (queued && queue.kind === 'answered') {
      const now = upstreamSeconds(queue);
      const ageSeconds = Math.max(0, now - (queued.createdSeconds ?? now));
      return { state: queued.state, ageSeconds };
    }
    const history = await calls.history(operation, signal);
    const finished = isRead(history) ? readHistory(history.json, operation) : undefined;
    if (finished === undefined) return unclear(history, 'the answer is no history');
    if (finished) return { state: 'ended', finished };
  }
  return { state: 'absent' };
}

const isRead = (result: ReadResult): result is UpstreamResponse =>
  result.kind === 'answered' && result.status === 200;

function unclear(result: ReadResult, fallback: string): PromptState {
  if (result.kind === 'busy') return { state: 'busy', waitSeconds: result.waitSeconds };
  if (result.kind !== 'answered') return { state: 'unclear', detail: result.detail };
  if (result.status === 429) {
    return { state: 'unclear', waitSeconds: parseRetryAfter(result.headers) ?? 0 };
  }
  return { state: 'unclear', detail: result.status === 200 ? fallback : detailOf(result) };
}
