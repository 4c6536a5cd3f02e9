/**
 * Reads the state of a prompt. The queue is read before the history: a prompt moves from one to the
 * other in one step, so a prompt in neither is not on the server.
 */
import type { ReadResult, ReadTurn } from '../toolkit/client.ts';
import { upstreamSeconds } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ComfyCalls } from './calls.ts';
import { type FinishedPrompt, readHistory, readQueue } from './wire.ts';

type PromptState =
  | { readonly state: 'queued' | 'running'; readonly ageSeconds: number }
  | { readonly state: 'ended'; readonly finished: FinishedPrompt }
  | { readonly state: 'absent' }
  /** The read failed, or its response was not what it should be. */
  | { readonly state: 'unknown'; readonly result: ReadResult };

/** A prompt counts as absent only after it was in neither this often. */
const lookupsMax = 2;

export async function findPrompt(
  calls: ComfyCalls,
  operation: string,
  turn?: ReadTurn,
): Promise<PromptState> {
  for (let lookups = 1; lookups <= lookupsMax; lookups++) {
    const queue = await calls.queue(turn);
    const queued = isRead(queue) ? readQueue(queue.json, operation) : undefined;
    if (queued === undefined) return { state: 'unknown', result: queue };
    if (queued && isRead(queue)) {
      const now = upstreamSeconds(queue);
      const ageSeconds = Math.max(0, now - (queued.createdSeconds ?? now));
      return { state: queued.state, ageSeconds };
    }
    const history = await calls.history(operation, turn);
    const finished = isRead(history) ? readHistory(history.json, operation) : undefined;
    if (finished === undefined) return { state: 'unknown', result: history };
    if (finished) return { state: 'ended', finished };
  }
  return { state: 'absent' };
}

const isRead = (result: ReadResult): result is UpstreamResponse =>
  result.kind === 'response' && result.status === 200;
