/**
 * Stops a video on vLLM-Omni, the only server that can. Elsewhere DELETE erases a finished video or
 * forgets a running one, so it is not sent, and the result is the state of the video.
 */
import { sleep } from '../../clock.ts';
import type { CancelResult } from '../provider.ts';
import type { ReadResult } from '../toolkit/client.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { errorReader } from './errors.ts';
import { readVideo } from './wire.ts';

/** vLLM-Omni waits two seconds for the work to end, then responds 409 and continues to end it. */
const deletesMax = 3;
const retryDelayMs = 1_000;

export async function cancelVideo(
  dialect: Dialect,
  calls: VideoCalls,
  operation: string,
): Promise<CancelResult> {
  // A finished video would be erased with its result, so read it first.
  const before = cancelState(await calls.get(operation));
  if (before === 'finished') return 'ended';
  if (before !== 'running' || !dialect.deleteStops) return before;
  for (let deletes = 1; deletes <= deletesMax; deletes++) {
    const outcome = await calls.delete(operation);
    if (outcome.kind !== 'response') break;
    // It ran before, so it was stopped by this DELETE or by a restart of the server.
    if (outcome.status === 200 || errorReader.isNotFound(outcome)) return 'stopped';
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

function cancelState(result: ReadResult): 'running' | 'finished' | 'ended' | 'unknown' {
  if (result.kind !== 'response') return 'unknown';
  switch (readVideo(result.json)?.status) {
    case 'queued':
    case 'in_progress':
    case 'pending':
    case 'processing':
      return 'running';
    // vLLM-Omni responds for a failed video with the status of its error, and the video as body.
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'canceled':
    case 'expired':
      return 'finished';
    default:
      return errorReader.isNotFound(result) ? 'ended' : 'unknown';
  }
}
