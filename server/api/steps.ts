/**
 * What happens to a request before its endpoint sees it, in the fixed order: key (401), permission
 * (403), rate (429). A request answered 401, 403 or 429 counts against no limit.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Permission } from '@vidgen/contract/models.ts';
import type { KeyIdentity } from '../accounts/api-key.ts';
import { authenticate, requirePermission } from '../accounts/authenticate.ts';
import type { RateAnswer } from '../rate-limits/rate-answer.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from './service.ts';

export type Guarded = {
  readonly auth: 'key' | 'admin' | 'none';
  readonly permission?: Permission | undefined;
  /** Which window counts the request: Spec 8. */
  readonly window?: 'create' | 'status' | undefined;
  readonly checksItself?: true | undefined;
};

/** The rate headers are told through `tell` before a refusal is thrown: 429 carries them too. */
export async function passSteps(
  service: Service,
  route: Guarded,
  request: {
    readonly authorization: string | undefined;
    readonly tell: (headers: Readonly<Record<string, string>>) => void;
  },
): Promise<KeyIdentity | undefined> {
  if (route.auth === 'none' || route.checksItself) return undefined;
  if (route.auth === 'admin') {
    requireAdmin(service, request.authorization);
    return undefined;
  }
  const identity = await authenticate(service.keys, request.authorization);
  if (route.permission) requirePermission(identity, route.permission);
  if (route.window) {
    const limiter = route.window === 'create' ? service.creates : service.statusQueries;
    const answer = await limiter.decide(identity.keyId);
    request.tell(rateHeaders(answer));
    if (!answer.admitted) throw rateLimited(answer, route.window);
  }
  return identity;
}

/** Compared by digest, so that neither the length nor a common start of the token shows in the time. */
export function isAdmin({ adminToken }: Service, authorization: string | undefined): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization?.trim() ?? '')?.[1];
  if (given === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(adminToken));
}

function requireAdmin(service: Service, authorization: string | undefined): void {
  if (isAdmin(service, authorization)) return;
  throw new Refusal(
    'invalid_api_key',
    'This needs the admin token: send "Authorization: Bearer <VIDGEN_ADMIN_TOKEN>".',
  );
}

function rateHeaders({ limit, remaining, resetSeconds }: RateAnswer): Record<string, string> {
  if (limit === 0) return {};
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  };
}

function rateLimited(
  { limit, retryAfterSeconds }: RateAnswer & { admitted: false },
  window: 'create' | 'status',
): Refusal {
  const what = window === 'create' ? 'generation requests' : 'status requests';
  return new Refusal(
    'rate_limited',
    `This API key has made ${limit} ${what} within a minute, which is the limit: try again in ${retryAfterSeconds} s`,
    { retryAfter: retryAfterSeconds },
  );
}
