/** How a prompt stands, in our words; a finished one with a way to fetch its video. */

import type { Provider, StatusResult } from '../provider.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { pollInterval, selfHostedSchedule } from '../toolkit/poll-schedule.ts';
import { throttledStatus } from '../toolkit/throttled-get.ts';
import type { ComfyCalls } from './calls.ts';
import { detailOf, failureFor } from './errors.ts';
import { findPrompt, type PromptState } from './prompt-state.ts';
import { type FinishedPrompt, findVideo } from './wire.ts';
import type { Workflow } from './workflow.ts';

const errorPollSeconds = 15;

export function createStatus(
  calls: ComfyCalls,
  /** Undefined where the configuration has changed since it was started. */
  workflowOf: (generation: Parameters<Provider['status']>[0]['generation']) => Workflow | undefined,
): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const prompt = await findPrompt(calls, operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', pollAfterSeconds: errorPollSeconds };
    return toStatusResult(prompt, { calls, workflow: workflowOf(generation) });
  };
}

type PromptContext = { readonly calls: ComfyCalls; readonly workflow: Workflow | undefined };

function toStatusResult(prompt: PromptState, context: PromptContext): StatusResult {
  switch (prompt.state) {
    case 'queued':
    case 'running':
      return {
        outcome: 'pending',
        pollAfterSeconds: pollInterval(selfHostedSchedule, prompt.ageSeconds),
      };
    case 'ended':
      return finishedResult(prompt.finished, context);
    case 'absent':
      return { outcome: 'lost', detail: 'neither in the queue nor in the history' };
    case 'busy':
      return throttledStatus(prompt);
    case 'unclear':
      return {
        outcome: 'pending',
        pollAfterSeconds: Math.max(errorPollSeconds, prompt.waitSeconds ?? 0),
        ...(prompt.detail === undefined ? {} : { alert: prompt.detail }),
      };
  }
}

function finishedResult(
  finished: FinishedPrompt,
  { calls, workflow }: PromptContext,
): StatusResult {
  switch (finished.status) {
    case 'error':
      return { outcome: 'failed', ...failureFor(finished, workflow?.loaders ?? new Set()) };
    // The history of older versions holds no status, and only what has ended.
    case undefined:
    case 'success': {
      const file = findVideo(finished.outputs, workflow?.outputNode);
      if (!file) return { outcome: 'failed', reason: 'failed', detail: 'ended without a video' };
      // It stands in a private network, behind the proxy's key where there is one.
      return {
        outcome: 'completed',
        video: authenticatedSource((saveOptions) => calls.view(file, saveOptions), detailOf),
      };
    }
    default: {
      const alert = `unknown status ${JSON.stringify(finished.status.slice(0, 100))}`;
      return { outcome: 'pending', pollAfterSeconds: errorPollSeconds, alert };
    }
  }
}
