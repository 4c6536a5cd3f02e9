/**
 * Stops a video, where the server can: vLLM-Omni alone does. Elsewhere DELETE only erases what is
 * finished or forgets what runs, so nothing is sent and the answer is how the video stands.
 */
import { sleep } from '../../clock.ts';
import type { CancelResult } from '../provider.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { isVideoNotFound } from './errors.ts';
import { readVideo } from './wire.ts';

/** It waits two seconds for the work to end; then it says "try again" and goes on ending it. */
const deletesMax = 3;
const retryDelayMs = 1_000;

export async function cancelVideo(
  dialect: Dialect,
  calls: VideoCalls,
  operation: string,
): Promise<CancelResult> {
  // A finished video would be erased, result and all: so look first.
  const before = cancelState(await calls.get(operation));
  if (before === 'finished') return 'ended';
  if (before !== 'running' || !dialect.deleteStops) return before;
  for (let deletes = 1; deletes <= deletesMax; deletes++) {
    const outcome = await calls.delete(operation);
    if (outcome.kind !== 'answered') break;
    // It ran when we looked, so what is gone now ended by our word, or with the server itself.
    if (outcome.status === 200 || isVideoNotFound(outcome)) return 'stopped';
    if (outcome.status !== 409) break;
    if (deletes < deletesMax) await sleep(retryDelayMs);
  }
  switch (cancelState(await calls.get(operation))) {
    case 'running':
    case 'unknown':
      return 'unknown';
    case 'finished':
      return 'ended';
    case 'ended':
      return 'stopped';
  }
}

/** What a video's state means to someone who wants it stopped. */
function cancelState(result: ReadResult): 'running' | 'finished' | 'ended' | 'unknown' {
  if (result.kind !== 'answered') return 'unknown';
  switch (readVideo(result.json)?.status) {
    case 'queued':
    case 'in_progress':
    case 'pending':
    case 'processing':
      return 'running';
    // vLLM-Omni answers for a failed one with the status of its error, and the video all the same.
    case 'completed':
    case 'failed':
    case 'cancelled':
      return 'finished';
    default:
      return isVideoNotFound(result) ? 'ended' : 'unknown';
  }
}
