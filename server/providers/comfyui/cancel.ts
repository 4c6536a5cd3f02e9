/**
 * Takes a waiting prompt out of the queue, or interrupts a running one, and believes neither
 * answer: both say 200 whatever they did, so only another look tells.
 */
import { sleep } from '../../clock.ts';
import type { CancelAnswer } from '../provider.ts';
import type { ComfyCalls } from './calls.ts';
import { lookFor } from './look.ts';

/** An interrupt is heeded between two steps of the model, which take seconds. */
const looksMax = 8;
const betweenMs = 1_000;

export async function cancelPrompt(
  calls: ComfyCalls,
  operation: string,
  options: { readonly waitMs?: number } = {},
): Promise<CancelAnswer> {
  const told = new Set<'queued' | 'running'>();
  for (let looks = 1; looks <= looksMax; looks++) {
    const look = await lookFor(calls, operation);
    switch (look.state) {
      case 'busy':
      case 'unclear':
        return 'unknown';
      // Whoever saw it wait or run, and then no more, has stopped it, or its server ended.
      case 'absent':
        return told.size > 0 ? 'stopped' : 'gone';
      case 'ended':
        return told.size > 0 && look.ended.interrupted ? 'stopped' : 'gone';
      case 'queued':
      case 'running':
        // Once each: it may have begun between the look and the word.
        if (!told.has(look.state)) await tell(calls, operation, look.state);
        else await sleep(options.waitMs ?? betweenMs);
        told.add(look.state);
    }
  }
  return 'unknown';
}

async function tell(
  calls: ComfyCalls,
  operation: string,
  state: 'queued' | 'running',
): Promise<void> {
  if (state === 'queued') await calls.deleteQueued(operation);
  else await calls.interrupt(operation);
}
