/**
 * Stops a video on vLLM-Omni and on another vidgen. Elsewhere DELETE erases a finished video or
 * forgets a running one, so it is not sent, and the result is the state of the video.
 */
import { sleep } from '../../process/clock.ts';
import type { CancelResult } from '../provider.ts';
import type { ReadResult } from '../toolkit/client.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { errors } from './errors.ts';
import { readVideo, stateOf } from './wire.ts';

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
  if (before !== 'running' || dialect.deleteStops === null) return before;
  const erases = dialect.deleteStops === 'nothing';
  let isRefused = false;
  for (let deletes = 1; deletes <= deletesMax; deletes++) {
    const outcome = await calls.delete(operation);
    if (outcome.kind !== 'response') break;
    // It ran before, so it was stopped by this DELETE or by a restart of the server.
    if (erases && (outcome.status === 200 || errors.isNotFound(outcome))) return 'stopped';
    isRefused = !erases && outcome.status === 400;
    if (outcome.status !== 409) break;
    if (deletes < deletesMax) await sleep(retryDelayMs);
  }
  const after = cancelState(await calls.get(operation));
  switch (after) {
    case 'running':
      return isRefused ? 'running' : 'unknown';
    case 'finished':
      return 'ended';
    case 'ended':
      // What is left of a stopped video can be read; one that is gone had finished, and was billed.
      return erases ? 'stopped' : 'ended';
    case 'stopped':
    case 'unknown':
      return after;
  }
}

type VideoState = 'running' | 'finished' | 'stopped' | 'ended' | 'unknown';

function cancelState(result: ReadResult): VideoState {
  if (result.kind !== 'response') return 'unknown';
  const { status, error } = readVideo(result.json) ?? {};
  if (status === 'failed' && error?.code === 'cancelled') return 'stopped';
  // vLLM-Omni responds for a failed video with the status of its error, and the video as body.
  const state = stateOf(status);
  if (state !== undefined) return state === 'running' ? state : 'finished';
  return errors.isNotFound(result) ? 'ended' : 'unknown';
}
