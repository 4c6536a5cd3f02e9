/** Polls a prompt. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Provider, StatusResult } from '../provider.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { pollInterval, selfHostedSchedule } from '../toolkit/poll-schedule.ts';
import {
  failed,
  pending,
  pendingWithAlert,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import type { ComfyCalls } from './calls.ts';
import { errors, failureFor } from './errors.ts';
import { findPrompt } from './prompt-state.ts';
import { type FinishedPrompt, findVideo } from './wire.ts';
import type { Workflow } from './workflow.ts';

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
        return pending(pollInterval(selfHostedSchedule, prompt.ageSeconds));
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
