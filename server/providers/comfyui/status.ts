/** How a prompt stands, in our words; a finished one with a way to fetch its video. */

import type { Provider, StatusAnswer } from '../provider.ts';
import { behindDoor } from '../toolkit/downloads.ts';
import { askAgainSeconds, near } from '../toolkit/patience.ts';
import { busyAnswer } from '../toolkit/reads.ts';
import type { ComfyCalls } from './calls.ts';
import { detailOf, failureFor } from './errors.ts';
import { type Look, lookFor } from './look.ts';
import { type Ended, findVideo } from './wire.ts';
import type { Workflow } from './workflow.ts';

const troubleSeconds = 15;

export function createStatus(
  calls: ComfyCalls,
  /** Undefined where the configuration has changed since it was started. */
  workflowOf: (generation: Parameters<Provider['status']>[0]['generation']) => Workflow | undefined,
): Provider['status'] {
  return async ({ operation, generation, signal }) => {
    const look = await lookFor(calls, operation, signal);
    // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
    if (signal.aborted) return { outcome: 'pending', askAgainSeconds: troubleSeconds };
    return statusAnswer(look, { calls, workflow: workflowOf(generation) });
  };
}

type Made = { readonly calls: ComfyCalls; readonly workflow: Workflow | undefined };

function statusAnswer(look: Look, made: Made): StatusAnswer {
  switch (look.state) {
    case 'queued':
    case 'running':
      return { outcome: 'pending', askAgainSeconds: askAgainSeconds(near, look.ageSeconds) };
    case 'ended':
      return endedAnswer(look.ended, made);
    case 'absent':
      return { outcome: 'lost', detail: 'neither in the queue nor in the history' };
    case 'busy':
      return busyAnswer(look);
    case 'unclear':
      return {
        outcome: 'pending',
        askAgainSeconds: Math.max(troubleSeconds, look.waitSeconds ?? 0),
        ...(look.detail === undefined ? {} : { alert: look.detail }),
      };
  }
}

function endedAnswer(ended: Ended, { calls, workflow }: Made): StatusAnswer {
  switch (ended.status) {
    case 'error':
      return { outcome: 'failed', ...failureFor(ended, workflow?.loaders ?? new Set()) };
    // The history of older versions holds no status, and only what has ended.
    case undefined:
    case 'success': {
      const place = findVideo(ended.outputs, workflow?.outputNode);
      if (!place) return { outcome: 'failed', reason: 'failed', detail: 'ended without a video' };
      // It stands in a private network, behind the proxy's key where there is one.
      return {
        outcome: 'completed',
        video: behindDoor((saving) => calls.view(place, saving), detailOf),
      };
    }
    default: {
      const alert = `unknown status ${JSON.stringify(ended.status.slice(0, 100))}`;
      return { outcome: 'pending', askAgainSeconds: troubleSeconds, alert };
    }
  }
}
