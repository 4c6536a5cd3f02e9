/**
 * Authorizes a request by the session in its cookie: signed in (401), same origin (403), member of
 * the account (404), sufficient role (403), recently confirmed (403). The caller's right is judged
 * again after the body has arrived and inside transactions, since it may be lost meanwhile.
 */
import { ApiError, notFound } from '@vidgen/contract/api-error.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import { findKeyAccountId } from '../../accounts/keys/api-key.ts';
import { findRole, hasRole } from '../../accounts/people/membership.ts';
import { readPasswordHash } from '../../accounts/people/person.ts';
import {
  type AuthenticatedSession,
  findSessionByToken,
  recordSessionUse,
} from '../../accounts/people/session.ts';
import type { Queryable } from '../../database/database.ts';
import { getDelivery } from '../../webhooks/delivery.ts';
import type { Auth, Endpoint, ResourceKind } from './endpoint-definition.ts';
import type { ApiServices, Caller } from './handler.ts';
import { type RequestHead, requireSameOrigin } from './request-origin.ts';
import { readCookie } from './session-cookie.ts';

/** A request whose body has not been read. */
export type IncomingRequest = RequestHead & {
  readonly params: Readonly<Record<string, string>>;
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Gets what uncounts the request from a rate limit: it is called for 401, 403 and 429. */
  readonly onCounted: (uncount: () => void | Promise<void>) => void;
};

/** For `admin`, `member` and `person`, when there is no Authorization header. */
export async function authorizeSession(
  services: ApiServices,
  endpoint: Endpoint,
  request: IncomingRequest,
): Promise<Caller> {
  const { db } = services.lifecycle;
  const authenticated = await findSession(services, endpoint, request);
  if (!authenticated) throw notSignedIn(endpoint.auth);
  // The account of a resource never changes, so it is looked up once.
  const accountId =
    endpoint.auth === 'member' && !authenticated.person.administrator
      ? await accountIdOf(services, endpoint.resource!, request.params.id!)
      : null;
  const right = { endpoint, request, accountId, issuer: services.openid?.settings.issuer };
  const role = await judgeSession(db, { ...right, authenticated, lock: false });
  const { person, session, token } = authenticated;
  return {
    identity: undefined,
    actor: person.email,
    person,
    session,
    token,
    isAdmin: person.administrator,
    role,
    requireConfirmation: () => requireConfirmation(db, { ...right, authenticated }),
    async reauthorize(queryable, { lock }) {
      // Endpoints of a person change the session or the person itself.
      const rowLock = endpoint.auth === 'person' ? 'update' : 'share';
      const found = await findSessionByToken(queryable, token, {
        lock: lock ? rowLock : undefined,
      });
      if (!found) throw notSignedIn(endpoint.auth);
      await judgeSession(queryable, { ...right, authenticated: found, lock });
    },
  };
}

type JudgedRight = {
  readonly endpoint: Endpoint;
  readonly request: IncomingRequest;
  /** Null where the caller is an administrator, or the resource does not exist. */
  readonly accountId: string | null;
  /** Of the OpenID provider, whose people confirm there. */
  readonly issuer: string | undefined;
  readonly authenticated: AuthenticatedSession;
  readonly lock: boolean;
};

/** Returns the role in the account of the path, or throws if the endpoint needs more. */
async function judgeSession(db: Queryable, right: JudgedRight): Promise<AccountRole | undefined> {
  const { endpoint, request, authenticated } = right;
  const { person, session } = authenticated;
  if (!session.isCurrent && isUnsafe(request)) {
    throw new ApiError('forbidden', 'The session token was replaced by a newer one; retry.');
  }
  if (endpoint.auth === 'admin' && !person.administrator) {
    throw new ApiError('forbidden', 'Only administrators can do this.');
  }
  const role = endpoint.auth === 'member' ? await roleOf(db, right) : undefined;
  if (role && !hasRole(role, endpoint.role!)) {
    const rule = `This requires the ${endpoint.role} role (you are ${role})`;
    throw new ApiError('forbidden', `${rule}; ask an account owner.`);
  }
  if (endpoint.requiresConfirmation) await requireConfirmation(db, right);
  return role;
}

/** Throws if the session was not confirmed recently. The header tells how it is confirmed. */
async function requireConfirmation(
  db: Queryable,
  {
    request,
    issuer,
    authenticated: { person, session },
  }: Pick<JudgedRight, 'request' | 'issuer' | 'authenticated'>,
): Promise<void> {
  if (session.isConfirmed) return;
  const hasPassword = (await readPasswordHash(db, person.id, { issuer, lock: false })) !== null;
  request.setHeaders({ 'vidgen-confirm': hasPassword ? 'password' : 'openid' });
  const message = hasPassword ? 'Confirm your password to continue.' : 'Sign in again to continue.';
  throw new ApiError('forbidden', message);
}

const isUnsafe = ({ method }: RequestHead): boolean => method !== 'GET' && method !== 'HEAD';

/** Returns the session of the request, or null. Throws for cross-origin requests with a cookie. */
export async function findSession(
  { lifecycle: { db }, publicUrl }: ApiServices,
  { rawBody, streamBody }: Endpoint,
  request: RequestHead,
): Promise<(AuthenticatedSession & { readonly token: string }) | null> {
  const cookie = request.headers.cookie as string | undefined;
  const token = readCookie(cookie, publicUrl());
  if (token === null) return null;
  requireSameOrigin(request, {
    publicUrl: publicUrl(),
    rawBody: rawBody ?? streamBody ?? false,
  });
  const found = await findSessionByToken(db, token);
  if (!found) return null;
  const { isStale, ...authenticated } = found;
  if (isStale) await recordSessionUse(db, authenticated.session.id);
  return { ...authenticated, token };
}

/** A resource of another account is not found, like one that does not exist. */
async function roleOf(
  db: Queryable,
  { endpoint: { resource }, accountId, authenticated: { person }, lock }: JudgedRight,
): Promise<AccountRole> {
  if (person.administrator) return 'owner';
  const key = { accountId: accountId ?? '', personId: person.id };
  const role = await findRole(db, key, { lock });
  if (role === null) throw notFound(`No ${resource} found with this ID.`);
  return role;
}

async function accountIdOf(
  services: ApiServices,
  resource: ResourceKind,
  id: string,
): Promise<string | null> {
  const { db } = services.lifecycle;
  switch (resource) {
    case 'account':
      return id;
    case 'task':
      return (await services.tasks.find(id))?.accountId ?? null;
    case 'key':
      return await findKeyAccountId(db, id);
    case 'delivery':
      return (await getDelivery(db, id)).accountId;
  }
}

export function notSignedIn(auth: Auth): ApiError {
  const hasToken = auth !== 'person';
  const token = hasToken ? ', or send "Authorization: Bearer <VIDGEN_ADMIN_TOKEN>"' : '';
  return new ApiError('invalid_api_key', `Not signed in; sign in to the dashboard${token}.`);
}
