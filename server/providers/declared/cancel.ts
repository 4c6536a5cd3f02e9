/** Cancels an operation of a declared upstream. Counts only when a read shows that it stopped. */
import type { CancelResult } from '../provider.ts';
import { cancelStateOf } from '../toolkit/async-adapter.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { isSuccess } from '../toolkit/upstream.ts';
import type { DeclaredCalls } from './calls.ts';
import {
  endsOperation,
  errorReaderFor,
  isCancelled,
  readStatus,
  readStatusError,
} from './responses.ts';
import { type DeclaredSettings, dependsOnTask } from './settings.ts';

type CancelSettings = Pick<DeclaredSettings, 'status' | 'errors' | 'cancel'>;

export async function cancel(
  settings: CancelSettings,
  calls: DeclaredCalls,
  operation: string,
): Promise<CancelResult> {
  // Such a status cannot be read here, and then there is no cancel either.
  if (dependsOnTask(settings.status)) return 'running';
  const before = cancelState(await calls.status(operation), settings);
  const from: readonly string[] = settings.cancel?.from ?? [];
  if (!settings.cancel || !from.includes(before)) return before === 'queued' ? 'running' : before;
  await calls.cancel(operation, settings.cancel);
  const after = cancelState(await calls.status(operation), settings);
  // It may still stop later.
  return after === 'queued' || after === 'running' ? 'unknown' : after;
}

function cancelState(
  result: ReadResult,
  { errors = {}, status }: CancelSettings,
): CancelResult | 'queued' {
  if (result.kind !== 'response') return 'unknown';
  const isEnd = endsOperation(result, errors);
  if (!isEnd && errorReaderFor(errors).isNotFound(result)) return 'ended';
  const { state } = isSuccess(result) ? readStatus(result.json, status) : {};
  const shown = isEnd ? 'ended' : cancelStateOf(state);
  const hasFailed = isEnd || (shown === 'ended' && state !== 'completed');
  return hasFailed && isCancelled(readStatusError(result.json, errors), errors) ? 'stopped' : shown;
}
