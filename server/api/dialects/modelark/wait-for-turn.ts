/**
 * Counts a read against the key's rate limit, and waits until the limit admits it. The wait is
 * bounded: after it, the read is answered all the same.
 */
import assert from 'node:assert/strict';
import { ApiError } from '../../../api-error.ts';
import { sleep, startDeadline } from '../../../clock.ts';
import { enforceRateLimit } from '../../http/authorize.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';

/** Shorter than the timeouts of the clients. */
const waitMsMax = 25_000;

export async function waitForTurn(services: ApiServices, request: ApiRequest): Promise<void> {
  const { identity, setHeaders } = request;
  assert(identity);
  using deadline = startDeadline(waitMsMax, [request.abortSignal()]);
  while (!deadline.signal.aborted) {
    try {
      return await enforceRateLimit(services, 'status', { identity, setHeaders });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error;
      await sleep((error.details.retryAfter ?? 1) * 1000, deadline.signal);
    }
  }
}
