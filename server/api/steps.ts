/**
 * What happens to a request before its endpoint sees it, in the fixed order: key (401), permission
 * (403), rate (429). A request answered 401, 403 or 429 counts against no limit. Endpoints of keys
 * never look at cookies; those of people are guarded by `guard-session.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Permission } from '@vidgen/contract/models.ts';
import type { KeyIdentity } from '../accounts/api-key.ts';
import { authenticate, requirePermission } from '../accounts/authenticate.ts';
import type { RateAnswer } from '../rate-limits/rate-answer.ts';
import { Refusal } from '../refusal.ts';
import {
  findSession,
  passSession,
  type SessionAsking,
  type SessionRules,
} from './guard-session.ts';
import { requireSameOrigin } from './same-origin.ts';
import type { Asker, Service } from './service.ts';

export type Guarded = SessionRules & {
  readonly permission?: Permission | undefined;
  /** Which window counts the request: Spec 8. */
  readonly window?: RateWindow | undefined;
  readonly checksItself?: true | undefined;
  readonly knowsSession?: true | undefined;
};
type RateWindow = 'create' | 'status';

/** Before anything of the body is read. */
export type Asking = SessionAsking;

const nobody: Asker = {
  identity: undefined,
  actor: 'nobody',
  person: undefined,
  session: undefined,
  isOperator: false,
  role: undefined,
};

export async function passSteps(service: Service, route: Guarded, asking: Asking): Promise<Asker> {
  if (route.checksItself) return nobody;
  const { authorization } = asking.headers;
  switch (route.auth) {
    case 'none':
      return route.knowsSession ? await askerOf(service, route, asking) : nobody;
    case 'key': {
      const identity = await identify(service, route, asking);
      if (route.window) await throttle(service, route.window, { identity, tell: asking.tell });
      return { ...nobody, identity, actor: identity.keyId };
    }
    case 'person':
      return await passSession(service, route, asking);
    case 'admin':
    case 'member':
      // Whoever sends a token is judged by it alone, whatever cookie a browser adds.
      if (authorization === undefined) return await passSession(service, route, asking);
      requireAdmin(service, authorization);
      return operatorBy(route);
  }
}

const operatorBy = ({ auth }: Guarded): Asker => ({
  ...nobody,
  actor: 'admin token',
  isOperator: true,
  role: auth === 'member' ? 'owner' : undefined,
});

/** Nobody is signed in, or out, by a page that is not ours, whether there was a session or not. */
async function askerOf(service: Service, route: Guarded, asking: Asking): Promise<Asker> {
  requireSameOrigin(asking, { publicUrl: service.publicUrl(), takesBytes: false });
  const signedIn = await findSession(service, route, asking);
  if (!signedIn) return nobody;
  const { person, session } = signedIn;
  return { ...nobody, actor: person.email, person, session, isOperator: person.administrator };
}

/** Rate headers are on every answer of a limited endpoint, so on those of these refusals too. */
async function identify(
  service: Service,
  { permission, window }: Guarded,
  { headers, tell }: Asking,
): Promise<KeyIdentity> {
  let identity: KeyIdentity | null = null;
  try {
    identity = await authenticate(service.keys, headers.authorization as string | undefined);
    if (permission) requirePermission(identity, permission);
    return identity;
  } catch (error) {
    if (error instanceof Refusal && window) {
      tell(rateHeaders(await limiterOf(service, window).look(identity?.keyId ?? null)));
    }
    throw error;
  }
}

/** Counts the request in the window of its key, or refuses it. */
export async function throttle(
  service: Service,
  window: RateWindow,
  { identity, tell }: { identity: KeyIdentity; tell: Asking['tell'] },
): Promise<void> {
  const answer = await limiterOf(service, window).decide(identity.keyId);
  tell(rateHeaders(answer));
  if (!answer.admitted) throw rateLimited(answer, window);
}

const limiterOf = ({ creates, statusQueries }: Service, window: RateWindow) =>
  window === 'create' ? creates : statusQueries;

/**
 * Compared by digest, so that neither the length nor a common start of the token shows in the time.
 * A header arrives as bytes, one a character: a token in any script is compared as UTF-8.
 */
export function isAdmin({ adminToken }: Service, authorization: string | undefined): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization?.trim() ?? '')?.[1];
  if (given === undefined) return false;
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(Buffer.from(adminToken)));
}

function requireAdmin(service: Service, authorization: string | string[] | undefined): void {
  if (typeof authorization === 'string' && isAdmin(service, authorization)) return;
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
  window: RateWindow,
): Refusal {
  const what = window === 'create' ? 'create requests' : 'requests other than create';
  return new Refusal(
    'rate_limited',
    `This API key may make ${limit} ${what} a minute and has made them: ` +
      `try again in ${retryAfterSeconds} s.`,
    { retryAfter: retryAfterSeconds },
  );
}
