/**
 * Where a prompt stands. The queue is read before the history: a prompt goes from one to the other
 * in one step, so what is in neither is on the server no more, or never was.
 */
import { toldWaitSeconds } from '../toolkit/answer-values.ts';
import type { Reading } from '../toolkit/reads.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';
import { upstreamSeconds } from '../toolkit/upstream-clock.ts';
import type { ComfyCalls } from './calls.ts';
import { detailOf } from './errors.ts';
import { type Ended, readHistory, readQueue } from './wire.ts';

export type Look =
  | { readonly state: 'queued' | 'running'; readonly ageSeconds: number }
  | { readonly state: 'ended'; readonly ended: Ended }
  | { readonly state: 'absent' }
  /** Others look as well: it is told when its own turn would be. */
  | { readonly state: 'busy'; readonly waitSeconds: number }
  /** Nobody can tell. Without a detail it is nothing to tell an operator of. */
  | { readonly state: 'unclear'; readonly detail?: string; readonly waitSeconds?: number };

/** A prompt that is in neither is looked for twice before it counts as absent. */
const looksMax = 2;

export async function lookFor(
  calls: ComfyCalls,
  operation: string,
  signal?: AbortSignal,
): Promise<Look> {
  for (let looks = 1; looks <= looksMax; looks++) {
    const queue = await calls.queue(signal);
    const queued = isRead(queue) ? readQueue(queue.json, operation) : undefined;
    if (queued === undefined) return unclear(queue, 'the answer is no queue');
    if (queued && queue.kind === 'answered') {
      const now = upstreamSeconds(queue);
      const ageSeconds = Math.max(0, now - (queued.createdSeconds ?? now));
      return { state: queued.state, ageSeconds };
    }
    const history = await calls.history(operation, signal);
    const ended = isRead(history) ? readHistory(history.json, operation) : undefined;
    if (ended === undefined) return unclear(history, 'the answer is no history');
    if (ended) return { state: 'ended', ended };
  }
  return { state: 'absent' };
}

const isRead = (reading: Reading): reading is UpstreamAnswer =>
  reading.kind === 'answered' && reading.status === 200;

function unclear(reading: Reading, otherwise: string): Look {
  if (reading.kind === 'busy') return { state: 'busy', waitSeconds: reading.waitSeconds };
  if (reading.kind !== 'answered') return { state: 'unclear', detail: reading.detail };
  if (reading.status === 429) {
    return { state: 'unclear', waitSeconds: toldWaitSeconds(reading.headers) ?? 0 };
  }
  return { state: 'unclear', detail: reading.status === 200 ? otherwise : detailOf(reading) };
}
