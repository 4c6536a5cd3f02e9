/** Rate limits of keys, accounts and people, and what a request counts in. */
import { ApiError, rateLimited } from '@vidgen/contract/api-error.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import type { RateLimitResult } from '../../rate-limits/rate-limit-result.ts';
import type { IncomingRequest } from './authorize-session.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiServices, Caller } from './handler.ts';

type RateLimitName = NonNullable<Endpoint['rateLimit']>;

/**
 * Counts the request against the rate limits of the key and its account. Throws `rate_limited` if
 * one is exceeded.
 */
export async function enforceRateLimit(
  services: ApiServices,
  rateLimit: RateLimitName,
  {
    identity,
    setHeaders,
    onCounted,
  }: Pick<IncomingRequest, 'setHeaders' | 'onCounted'> & { readonly identity: KeyIdentity },
): Promise<void> {
  const { keyId, accountId } = identity;
  const limiter = limiterOf(services, rateLimit);
  const ofInstallation = services.accountLimits[rateLimit];
  const accountLimit =
    rateLimit === 'create' ? (identity.createsPerMinuteMax ?? ofInstallation) : ofInstallation;
  const accountName = accountLimit > 0 ? windowName(rateLimit, accountId) : '';
  // Counted only if the key's own window admits the request.
  const ofAccount = services.statusLimiter.peek(accountName, accountLimit);
  if (accountLimit > 0 && ofAccount.remaining === 0) {
    setHeaders(await peekRateHeaders(services, rateLimit, keyId));
    const { limit, resetSeconds: seconds } = ofAccount;
    throw limitExceeded({ limit, seconds }, `${requestKinds[rateLimit]} of this account`);
  }
  const consumed = limiter.consume(keyId);
  const result = consumed instanceof Promise ? await consumed : consumed;
  setHeaders(rateHeaders(result));
  if (!result.allowed) {
    const { limit, retryAfterSeconds: seconds } = result;
    throw limitExceeded({ limit, seconds }, requestKinds[rateLimit]);
  }
  const { stamp } = result;
  if (stamp !== undefined) onCounted(async () => await limiter.release(keyId, stamp));
  if (accountLimit === 0) return;
  const counted = services.statusLimiter.consume(accountName, accountLimit);
  if (!counted.allowed) {
    // Requests with other keys of the account were faster while the key's window was read.
    const { limit, retryAfterSeconds: seconds } = counted;
    throw limitExceeded({ limit, seconds }, `${requestKinds[rateLimit]} of this account`);
  }
  const { stamp: accountStamp } = counted;
  if (accountStamp !== undefined)
    onCounted(() => services.statusLimiter.release(accountName, accountStamp));
}

/** What a request counts in, until it is answered 401, 403 or 429. */
export class Counts {
  readonly #uncounts: (() => void | Promise<void>)[] = [];

  readonly onCounted = (uncount: () => void | Promise<void>): void =>
    void this.#uncounts.push(uncount);

  /** Uncounts the request if this error answers it. */
  async settle(error: unknown): Promise<void> {
    if (!(error instanceof ApiError) || !uncountedCodes.includes(error.code)) return;
    // If the database fails, the request stays counted.
    await Promise.allSettled(this.#uncounts.splice(0).map(async (uncount) => await uncount()));
  }
}

const uncountedCodes = ['invalid_api_key', 'forbidden', 'rate_limited'];

const windowName = (rateLimit: RateLimitName, accountId: string) => `${rateLimit} ${accountId}`;

/** The window of creates over all keys of an account. */
export const createWindowName = (accountId: string): string => windowName('create', accountId);

/**
 * Limits expensive requests of people, by person over all sessions. The admin token is exempt.
 */
export function enforceSessionLimit(
  services: ApiServices,
  { sessionLimit }: Pick<Endpoint, 'sessionLimit'>,
  { person }: Pick<Caller, 'person'>,
): void {
  if (!sessionLimit || !person) return;
  const { purpose, perMinute } = sessionLimit;
  const window = { name: purpose, requests: `${purpose} requests`, perMinute };
  enforceCallerLimit(services, person.id, window);
}

/** Counts a request in a window of the caller by itself. Throws `rate_limited` if it is full. */
export function enforceCallerLimit(
  { statusLimiter }: ApiServices,
  caller: string,
  window: { readonly name: string; readonly requests: string; readonly perMinute: number },
): void {
  const result = statusLimiter.consume(`${window.name} ${caller}`, window.perMinute);
  if (result.allowed) return;
  const { limit, retryAfterSeconds: seconds } = result;
  throw limitExceeded({ limit, seconds }, window.requests);
}

const requestKinds = { create: 'create requests', status: 'non-create requests' } as const;

const limiterOf = ({ createLimiter, statusLimiter }: ApiServices, rateLimit: RateLimitName) =>
  rateLimit === 'create' ? createLimiter : statusLimiter;

export const peekRateHeaders = async (
  services: ApiServices,
  rateLimit: RateLimitName,
  keyId: string | null,
): Promise<Record<string, string>> => rateHeaders(await limiterOf(services, rateLimit).peek(keyId));

function rateHeaders({ limit, remaining, resetSeconds }: RateLimitResult): Record<string, string> {
  if (limit === 0) return {};
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  };
}

const limitExceeded = (
  { limit, seconds }: { readonly limit: number; readonly seconds: number },
  requests: string,
): ApiError => rateLimited(`Rate limit of ${limit} ${requests} per minute exceeded`, seconds);
