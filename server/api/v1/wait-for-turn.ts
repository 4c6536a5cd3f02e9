/**
 * Lets a status request wait within the rate limit of its key, for clients that start a new task
 * when they get 429. A bounded number per key waits, and only for tasks of the caller.
 */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { sleep, startDeadline } from '../../process/clock.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { WaitingRequests } from '../http/waiting-requests.ts';

/** At once, and per minute as many as the key may send. */
const waitingMax = 32;
const waiting = new WaitingRequests();

/**
 * Counts the request when its turn comes; if it does not come in time, the request goes on without
 * being counted. Throws `rate_limited` if it may not wait.
 */
export async function waitForTurn(
  services: ApiServices,
  request: ApiRequest,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { identity, setHeaders, onCounted } = request;
  assert(identity);
  const counting = { identity, setHeaders, onCounted };
  const denied = await deniedBy(enforceRateLimit(services, 'status', counting));
  if (!denied) return;
  const { keyId } = identity;
  using turn = waiting.start(keyId, waitingMax);
  if (!turn || !services.statusLimiter.consume(`waiting ${keyId}`).allowed) throw denied;
  using deadline = startDeadline(waitMs, [signal]);
  if (!(await isOwnTask(services, request))) throw denied;
  for (let error: ApiError | null = denied; error && !deadline.signal.aborted; ) {
    await sleep((error.details.retryAfter ?? 1) * 1000, deadline.signal);
    if (!deadline.signal.aborted)
      error = await deniedBy(enforceRateLimit(services, 'status', counting));
  }
}

const deniedBy = (counted: Promise<void>): Promise<ApiError | null> =>
  counted.then(
    () => null,
    (error) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

/** A task that this process does not know may be the caller's while the database is away. */
async function isOwnTask(
  { tasks }: ApiServices,
  { identity, params }: ApiRequest,
): Promise<boolean> {
  const id = params.id!;
  const task = tasks.lastKnown(id) ?? (await tasks.findState(id).catch(() => undefined));
  return task === undefined || task?.accountId === identity!.accountId;
}
