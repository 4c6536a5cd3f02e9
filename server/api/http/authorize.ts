/**
 * Runs before an endpoint, in a fixed order: key (401), permission (403), rate limit (429). A
 * request that gets one of these does not count against a limit. Endpoints with a key never read
 * cookies; sessions are authorized by `authorize-session.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeyIdentity } from '../../accounts/api-key.ts';
import { authenticate, requirePermission } from '../../accounts/authenticate.ts';
import { ApiError } from '../../api-error.ts';
import type { RateLimitResult } from '../../rate-limits/rate-limit-result.ts';
import { authorizeSession, findSession, type IncomingRequest } from './authorize-session.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiServices, Caller } from './handler.ts';
import { requireSameOrigin } from './same-origin.ts';

type RateLimitName = NonNullable<Endpoint['rateLimit']>;

const anonymous: Caller = {
  identity: undefined,
  actor: 'nobody',
  person: undefined,
  session: undefined,
  isAdmin: false,
  role: undefined,
};

export async function authorize(
  services: ApiServices,
  route: Endpoint,
  request: IncomingRequest,
): Promise<Caller> {
  if (route.authorizesItself) return anonymous;
  const { authorization } = request.headers;
  switch (route.auth) {
    case 'none':
      return route.optionalSession ? await callerFromSession(services, route, request) : anonymous;
    case 'key': {
      const identity = await authenticateKey(services, route, request);
      if (route.rateLimit)
        await enforceRateLimit(services, route.rateLimit, {
          identity,
          setHeaders: request.setHeaders,
        });
      return { ...anonymous, identity, actor: identity.keyId };
    }
    case 'person':
      return await authorizeSession(services, route, request);
    case 'admin':
    case 'member':
      // A request with a token is authorized by the token alone, even if the browser adds a cookie.
      if (authorization === undefined) return await authorizeSession(services, route, request);
      if (!hasAdminToken(services, String(authorization))) throw wrongToken();
      return adminTokenCaller(route);
  }
}

const adminTokenCaller = ({ auth }: Endpoint): Caller => ({
  ...anonymous,
  actor: 'admin token',
  isAdmin: true,
  role: auth === 'member' ? 'owner' : undefined,
});

/**
 * Rejects cross-origin requests even without a session: no other page may sign a person in or out.
 */
async function callerFromSession(
  services: ApiServices,
  route: Endpoint,
  request: IncomingRequest,
): Promise<Caller> {
  requireSameOrigin(request, { publicUrl: services.publicUrl(), rawBody: false });
  const authenticated = await findSession(services, route, request);
  if (!authenticated) return anonymous;
  const { person, session } = authenticated;
  return { ...anonymous, actor: person.email, person, session, isAdmin: person.administrator };
}

/**
 * Sets the rate limit headers on 401 and 403 too: every response of a limited endpoint has them.
 */
async function authenticateKey(
  services: ApiServices,
  { permission, rateLimit }: Endpoint,
  { headers, setHeaders }: IncomingRequest,
): Promise<KeyIdentity> {
  let identity: KeyIdentity | null = null;
  try {
    identity = await authenticate(services.keys, headers.authorization as string | undefined);
    if (permission) requirePermission(identity, permission);
    return identity;
  } catch (error) {
    if (error instanceof ApiError && rateLimit) {
      setHeaders(rateHeaders(await limiterOf(services, rateLimit).peek(identity?.keyId ?? null)));
    }
    throw error;
  }
}

/** Counts the request against the key's rate limit. Throws `rate_limited` if it is exceeded. */
export async function enforceRateLimit(
  services: ApiServices,
  rateLimit: RateLimitName,
  { identity, setHeaders }: { identity: KeyIdentity; setHeaders: IncomingRequest['setHeaders'] },
): Promise<void> {
  const result = await limiterOf(services, rateLimit).consume(identity.keyId);
  setHeaders(rateHeaders(result));
  if (!result.allowed) throw rateLimited(result, rateLimit);
}

const limiterOf = ({ createLimiter, statusLimiter }: ApiServices, rateLimit: RateLimitName) =>
  rateLimit === 'create' ? createLimiter : statusLimiter;

/**
 * Compares digests, so that timing reveals neither the length nor a prefix of the token. Node
 * decodes headers as Latin-1, so the header is turned back into bytes and compared as UTF-8.
 */
export function hasAdminToken(
  { adminToken }: ApiServices,
  authorization: string | undefined,
): boolean {
  const token = /^Bearer +([^ ].*)$/i.exec(authorization?.trim() ?? '')?.[1];
  if (token === undefined) return false;
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(Buffer.from(token, 'latin1')), digest(Buffer.from(adminToken)));
}

const wrongToken = (): ApiError =>
  new ApiError(
    'invalid_api_key',
    'Invalid admin token; send "Authorization: Bearer <VIDGEN_ADMIN_TOKEN>".',
  );

function rateHeaders({ limit, remaining, resetSeconds }: RateLimitResult): Record<string, string> {
  if (limit === 0) return {};
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  };
}

function rateLimited(
  { limit, retryAfterSeconds }: RateLimitResult & { allowed: false },
  rateLimit: RateLimitName,
): ApiError {
  const requestKind = rateLimit === 'create' ? 'create' : 'non-create';
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ApiError(
    'rate_limited',
    `Rate limit of ${limit} ${requestKind} requests per minute exceeded; retry in ${seconds}.`,
    { retryAfter: retryAfterSeconds },
  );
}
