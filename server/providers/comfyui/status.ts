/** How a prompt stands, in our words; a finished one with a way to fetch its video. */
import { rm } from 'node:fs/promises';
import type { DownloadResult, Provider, StatusAnswer } from '../provider.ts';
import type { DownloadOutcome } from '../upstream.ts';
import type { ComfyCalls, OutputPlace } from './calls.ts';
import { detailOf, failureFor } from './errors.ts';
import { type Look, lookFor } from './look.ts';
import { type Ended, findVideo } from './wire.ts';
import type { Workflow } from './workflow.ts';

const troubleSeconds = 15;
/** How often to ask, by the age of a prompt: a server of one's own bears much. */
const patience = [
  { untilSeconds: 60, everySeconds: 2 },
  { untilSeconds: 300, everySeconds: 5 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 10 },
] as const;

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
    case 'running': {
      const step = patience.find(({ untilSeconds }) => look.ageSeconds < untilSeconds)!;
      return { outcome: 'pending', askAgainSeconds: step.everySeconds };
    }
    case 'ended':
      return endedAnswer(look.ended, made);
    case 'absent':
      return { outcome: 'lost', detail: 'neither in the queue nor in the history' };
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
      if (place) return { outcome: 'completed', video: { download: downloadOf(calls, place) } };
      return { outcome: 'failed', reason: 'failed', detail: 'ended without a video' };
    }
    default: {
      const alert = `unknown status ${JSON.stringify(ended.status.slice(0, 100))}`;
      return { outcome: 'pending', askAgainSeconds: troubleSeconds, alert };
    }
  }
}

/** It stands in a private network, behind the proxy's key where there is one. */
const downloadOf =
  (calls: ComfyCalls, place: OutputPlace): DownloadResult =>
  async (saving) =>
    downloadAnswer(await calls.view(place, saving), saving.into);

async function downloadAnswer(outcome: DownloadOutcome, into: string) {
  switch (outcome.kind) {
    case 'saved':
      // A proxy's page, or an error with the wrong status.
      if (!/^(text\/|application\/json)/.test(outcome.contentType)) return { saved: true } as const;
      await rm(into, { force: true });
      return { saved: false, detail: `it is ${outcome.contentType}, no video` } as const;
    case 'answered':
      return { saved: false, detail: detailOf(outcome) } as const;
    default:
      return { saved: false, detail: outcome.detail } as const;
  }
}
