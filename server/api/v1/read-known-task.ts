/**
 * Status requests of clients that start a new task when one fails (ModelArk, OpenRouter): a task
 * that this process knows is never answered with 408, 409, 429 or 5xx. If a request must fail, or
 * its response is not received, the client's next identical create adopts the task.
 */
import assert from 'node:assert/strict';
import { ApiError } from '../../api-error.ts';
import { sleep, startDeadline } from '../../clock.ts';
import type { Task } from '../../tasks/task.ts';
import { enforceRateLimit } from '../http/authorize.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { outageMsMax, retryInOutage } from '../http/outage.ts';
import { findOwnTask } from './get-task.ts';

/** The share of the time that a request may wait for the rate limit; the rest is for the read. */
const turnShare = 0.8;

/**
 * Returns the task named by `:id`. Waits for its turn within the rate limit and for the database,
 * 25 s in all; then returns the task as this process last read it. For endpoints with
 * `waitsOutFailures`, whose rate limit this function enforces.
 */
export async function readKnownTask(
  services: ApiServices,
  request: ApiRequest,
  { waitMs = outageMsMax }: { readonly waitMs?: number } = {},
): Promise<Task> {
  assert(request.identity);
  const id = request.params.id!;
  const { identity } = request;
  using watch = services.keys.watch(identity);
  using deadline = startDeadline(waitMs, [request.abortSignal(), watch.signal]);
  await waitForTurn(services, request, { waitMs: waitMs * turnShare, signal: deadline.signal });
  request.onUndelivered(() => services.undelivered.addTask({ taskId: id, keyId: identity.keyId }));
  // A key that was revoked meanwhile is rejected.
  const read = async () => {
    await request.reauthorize(services.lifecycle.db, { lock: false });
    return services.tasks.remember(await findOwnTask(services, request));
  };
  try {
    return await retryInOutage(read, deadline);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (watch.signal.aborted) await request.reauthorize(services.lifecycle.db, { lock: false });
    const known = services.tasks.lastKnown(id);
    if (known?.accountId === identity.accountId) return known;
    services.undelivered.addTask({ taskId: id, keyId: identity.keyId });
    throw error;
  }
}

/** If its turn does not come in time, the request goes on without being counted. */
async function waitForTurn(
  services: ApiServices,
  { identity, setHeaders }: ApiRequest,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  assert(identity);
  using deadline = startDeadline(waitMs, [signal]);
  while (!deadline.signal.aborted) {
    try {
      return await enforceRateLimit(services, 'status', { identity, setHeaders });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await sleep((error.details.retryAfter ?? 1) * 1000, deadline.signal);
    }
  }
}
