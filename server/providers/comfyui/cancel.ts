/**
 * Cancels a prompt as a job. On older servers, removes a waiting prompt from the queue or
 * interrupts a running one. Every call responds 200 whatever it did, so the prompt is read again.
 */
import { sleep } from '../../process/clock.ts';
import type { CancelResult } from '../provider.ts';
import { asRecord } from '../toolkit/response-values.ts';
import type { ComfyCalls } from './calls.ts';
import { findPrompt } from './prompt-state.ts';

/** An interrupt takes effect between two steps of the model, which take seconds. */
const lookupsMax = 8;
const lookupDelayMs = 1_000;

export async function cancelPrompt(calls: ComfyCalls, operation: string): Promise<CancelResult> {
  const signaled = new Set<'queued' | 'running'>();
  for (let lookups = 1; lookups <= lookupsMax; lookups++) {
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
        if (signaled.has(prompt.state)) await sleep(lookupDelayMs);
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
