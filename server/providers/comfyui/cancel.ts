/**
 * Takes a waiting prompt out of the queue, or interrupts a running one, and believes neither
 * answer: both say 200 whatever they did, so only another look tells.
 */
import { sleep } from '../../clock.ts';
import type { CancelResult } from '../provider.ts';
import type { ComfyCalls } from './calls.ts';
import { findPrompt } from './prompt-state.ts';

/** An interrupt is heeded between two steps of the model, which take seconds. */
const lookupsMax = 8;
const pollDelayMs = 1_000;

export async function cancelPrompt(
  calls: ComfyCalls,
  operation: string,
  options: { readonly waitMs?: number } = {},
): Promise<CancelResult> {
  const signaled = new Set<'queued' | 'running'>();
  for (let lookups = 1; lookups <= lookupsMax; lookups++) {
    const prompt = await findPrompt(calls, operation);
    switch (prompt.state) {
      case 'busy':
      case 'unclear':
        return 'unknown';
      // Whoever saw it wait or run, and then no more, has stopped it, or its server ended.
      case 'absent':
        return signaled.size > 0 ? 'stopped' : 'ended';
      case 'ended':
        return signaled.size > 0 && prompt.finished.interrupted ? 'stopped' : 'ended';
      case 'queued':
      case 'running':
        // Once each: it may have begun between the look and the word.
        if (!signaled.has(prompt.state)) await requestStop(calls, operation, prompt.state);
        else await sleep(options.waitMs ?? pollDelayMs);
        signaled.add(prompt.state);
    }
  }
  return 'unknown';
}

async function requestStop(
  calls: ComfyCalls,
  operation: string,
  state: 'queued' | 'running',
): Promise<void> {
  if (state === 'queued') await calls.deleteQueued(operation);
  else await calls.interrupt(operation);
}
