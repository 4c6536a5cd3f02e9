/**
 * Reads, polls and cancels a prompt. The queue is read before the history: a prompt moves from one
 * to the other in one step, so a prompt in neither is not on the server.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sleep } from '../../process/clock.ts';
import type { CancelResult, Provider, StatusResult } from '../provider.ts';
import type { ReadResult, ReadTurn } from '../toolkit/client.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { asRecord } from '../toolkit/response-values.ts';
import {
  failed,
  pending,
  pendingWithAlert,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ComfyCalls } from './calls.ts';
import { errors, failureFor } from './errors.ts';
import { type FinishedPrompt, findVideo, readHistory, readQueue } from './wire.ts';
import type { Workflow } from './workflow.ts';

type PromptState =
  | { readonly state: 'queued' | 'running' }
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
    if (queued) return { state: queued };
    const history = await calls.history(operation, turn);
    const finished = isRead(history) ? readHistory(history.json, operation) : undefined;
    if (finished === undefined) return { state: 'unknown', result: history };
    if (finished) return { state: 'ended', finished };
  }
  return { state: 'absent' };
}

const isRead = (result: ReadResult): result is UpstreamResponse =>
  result.kind === 'response' && result.status === 200;

export function createStatus(
  calls: ComfyCalls,
  /** Undefined when the configuration has changed since the start. */
  workflowOf: (generation: Generation) => Workflow | undefined,
): Provider['status'] {
  return async (request) => {
    const { operation, generation, signal } = request;
    const prompt = await findPrompt(calls, operation, request);
    switch (prompt.state) {
      case 'queued':
      case 'running':
        return pending();
      case 'ended':
        return finishedResult(prompt.finished, calls, workflowOf(generation));
      case 'absent':
        return { outcome: 'lost', detail: 'neither in the queue nor in the history' };
      case 'unknown':
        return toStatusResult(prompt.result, {
          ...errors,
          signal,
          success: () => pendingWithAlert('the response is neither a queue nor a history'),
        });
    }
  };
}

function finishedResult(
  finished: FinishedPrompt,
  calls: ComfyCalls,
  workflow: Workflow | undefined,
): StatusResult {
  switch (finished.status) {
    case 'error':
      return { outcome: 'failed', ...failureFor(finished, workflow?.loaders ?? new Set()) };
    // Older versions have no status in their history, which only has finished prompts.
    case undefined:
    case 'success': {
      const file = findVideo(finished.outputs, workflow?.outputNode);
      if (!file) return failed('failed', 'ended without a video');
      // The file is in a private network, possibly behind a proxy that requires the key.
      const video = authenticatedSource(
        (saveOptions) => calls.view(file, saveOptions),
        errors.detail,
      );
      return { outcome: 'completed', video };
    }
    default:
      return unknownStatus(finished.status);
  }
}

/** An interrupt takes effect between two steps of the model, which take seconds. */
const cancelLookupsMax = 8;
const cancelLookupDelayMs = 1_000;

/**
 * Cancels a prompt as a job. On older servers, removes a waiting prompt from the queue or
 * interrupts a running one. Every call responds 200 whatever it did, so the prompt is read again.
 */
export async function cancelPrompt(calls: ComfyCalls, operation: string): Promise<CancelResult> {
  const signaled = new Set<'queued' | 'running'>();
  for (let lookups = 1; lookups <= cancelLookupsMax; lookups++) {
    const prompt = await findPrompt(calls, operation);
    switch (prompt.state) {
      case 'unknown':
        return 'unknown';
      // It was queued or running before, so it was stopped, or the server was restarted.
      case 'absent':
        return signaled.size > 0 ? 'stopped' : 'ended';
      case 'ended':
        return signaled.size > 0 && prompt.finished.interrupted ? 'stopped' : 'ended';
      case 'queued':
      case 'running':
        // Once per state: it may begin between the read and the call.
        if (signaled.has(prompt.state)) await sleep(cancelLookupDelayMs);
        else if (await cancelJob(calls, operation)) signaled.add('queued').add('running');
        else if (prompt.state === 'queued') await calls.deleteQueued(operation);
        else await calls.interrupt(operation);
        signaled.add(prompt.state);
    }
  }
  return 'unknown';
}

/** False when the server is older, or a proxy in front of it does not know the path. */
async function cancelJob(calls: ComfyCalls, operation: string): Promise<boolean> {
  const outcome = await calls.cancelJob(operation);
  const isResponse = outcome.kind === 'response' && outcome.status === 200;
  return isResponse && asRecord(outcome.json) !== undefined;
}
