/**
 * Runs before an endpoint, in a fixed order: key (401), permission (403), rate limit (429). A
 * request that gets one of these, now or later, does not count against a limit. Endpoints with a
 * key never read cookies; sessions are authorized by `authorize-session.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type KeyIdentity, lockActiveKeys } from '../../accounts/keys/api-key.ts';
import { authenticate, lostKeyError, requirePermission } from '../../accounts/keys/authenticate.ts';
import { findSessionByToken } from '../../accounts/people/session.ts';
import { requireActiveAccount } from '../../accounts/suspension.ts';
import { type Database, sqlState, type Transaction } from '../../database/database.ts';
import { requireBox } from '../../providers/fleet/fleet.ts';
import {
  authorizeSession,
  findSession,
  type IncomingRequest,
  notSignedIn,
} from './authorize-session.ts';
import type { Endpoint } from './endpoint-definition.ts';
import { enforceRateLimit, enforceSessionLimit, peekRateHeaders } from './enforce-rate-limit.ts';
import type { ApiServices, Caller } from './handler.ts';
import { requireSameOrigin } from './request-origin.ts';

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
      const identity =
        findActiveKey(services, route, request) ??
        (await authenticateKey(services, route, request));
      if (route.rateLimit && !isStatusOfRestarting(route))
        await enforceRateLimit(services, route.rateLimit, { ...request, identity });
      const reauthorize: Caller['reauthorize'] = async (db, { lock }) => {
        if (!lock) {
          if (!findActiveKey(services, route, request))
            await authenticateKey(services, route, request);
          return;
        }
        // Only transactions lock.
        const active = await lockActiveKeys(db as Transaction, [identity.keyId]);
        const error = lostKeyError(active.get(identity.keyId));
        if (error) throw error;
      };
      return { ...anonymous, identity, actor: identity.keyId, reauthorize };
    }
    case 'person':
      return await authorizeSession(services, route, request);
    case 'worker':
      await requireBox(services.fleet, authorization);
      return anonymous;
    case 'admin':
    case 'member':
    case 'signed-in':
      // A request with a token is authorized by the token alone, even if the browser adds a cookie.
      if (authorization === undefined) {
        const caller = await authorizeSession(services, route, request);
        enforceSessionLimit(services, route, caller);
        return await onActiveAccount(services, route, { caller, request });
      }
      if (!hasAdminToken(services, String(authorization))) throw wrongToken();
      return await onActiveAccount(services, route, { caller: adminTokenCaller(route), request });
  }
}

/** Whether the handler enforces the rate limit, with `readKnownTask`. */
export const isStatusOfRestarting = ({ clientsRetryByCreating, rateLimit }: Endpoint): boolean =>
  clientsRetryByCreating === true && rateLimit === 'status';

const adminTokenCaller = ({ auth }: Endpoint): Caller => ({
  ...anonymous,
  actor: 'admin token',
  isAdmin: true,
  role: auth === 'member' ? 'owner' : undefined,
});

/** Rejects the request while the account of the path is suspended, wherever its right is judged. */
async function onActiveAccount(
  { lifecycle: { db } }: ApiServices,
  { requiresActiveAccount }: Endpoint,
  { caller, request }: { readonly caller: Caller; readonly request: IncomingRequest },
): Promise<Caller> {
  if (!requiresActiveAccount) return caller;
  const accountId = request.params.id!;
  await requireActiveAccount(db, accountId, { lock: false });
  const reauthorize: Caller['reauthorize'] = async (queryable, options) => {
    await caller.reauthorize(queryable, options);
    await requireActiveAccount(queryable, accountId, options);
  };
  return { ...caller, reauthorize };
}

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
  // A token that was rotated away only reads.
  if (!authenticated?.session.isCurrent) return anonymous;
  const { person, session, token } = authenticated;
  const isAdmin = person.administrator;
  const reauthorize: Caller['reauthorize'] = async (db, { lock }) => {
    const found = await findSessionByToken(db, token, { lock: lock ? 'update' : undefined });
    if (!found?.session.isCurrent) throw notSignedIn(route.auth);
  };
  return { ...anonymous, actor: person.email, person, session, token, isAdmin, reauthorize };
}

/** As `authenticateKey`, without waiting, for most requests; undefined if it cannot tell. */
function findActiveKey(
  { keys }: ApiServices,
  { permission }: Endpoint,
  { headers }: IncomingRequest,
): KeyIdentity | undefined {
  const identity = keys.findActive(headers.authorization as string | undefined);
  return identity && (!permission || identity.permissions.includes(permission))
    ? identity
    : undefined;
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
      setHeaders(await peekRateHeaders(services, rateLimit, identity?.keyId ?? null));
    }
    throw error;
  }
}

/**
 * Compares digests, so that timing reveals neither the length nor a prefix of the token. Node
 * decodes headers as Latin-1, so the header is turned back into bytes and compared as UTF-8.
 */
export function hasAdminToken(
  { adminToken }: Pick<ApiServices, 'adminToken'>,
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

/** Two callers who take each other's rights away deadlock: one is repeated and then rejected. */
const attemptsMax = 3;
const deadlock = '40P01';

export async function authorizedTransaction<T>(
  db: Database,
  { reauthorize }: Pick<Caller, 'reauthorize'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        await reauthorize(tx, { lock: true });
        return await work(tx);
      });
    } catch (error) {
      if (sqlState(error) !== deadlock || attempt === attemptsMax) throw error;
    }
  }
}

const anonymous: Caller = {
  identity: undefined,
  actor: 'nobody',
  person: undefined,
  session: undefined,
  token: undefined,
  isAdmin: false,
  role: undefined,
  requireConfirmation: async () => {},
  reauthorize: async () => {},
};
