/**
 * Authorizes a request by the session in its cookie: signed in (401), same origin (403), member of
 * the account (404), sufficient role (403), recently confirmed (403).
 */
import type { AccountRole } from '@vidgen/contract/people.ts';
import { findKeyAccountId } from '../../accounts/api-key.ts';
import { findRole, hasRole } from '../../accounts/membership.ts';
import {
  type AuthenticatedSession,
  findSessionByToken,
  recordSessionUse,
} from '../../accounts/session.ts';
import { ApiError } from '../../api-error.ts';
import { getDelivery } from '../../webhooks/delivery.ts';
import type { Auth, Endpoint, ResourceKind } from './endpoint-definition.ts';
import type { ApiServices, Caller } from './handler.ts';
import { type RequestHead, requireSameOrigin } from './same-origin.ts';
import { readCookie } from './session-cookie.ts';

/** A request whose body has not been read. */
export type IncomingRequest = RequestHead & {
  readonly params: Readonly<Record<string, string>>;
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
};

/** For `admin`, `member` and `person`, when there is no Authorization header. */
export async function authorizeSession(
  services: ApiServices,
  endpoint: Endpoint,
  request: IncomingRequest,
): Promise<Caller> {
  const authenticated = await findSession(services, endpoint, request);
  if (!authenticated) throw notSignedIn(endpoint.auth);
  const { person, session } = authenticated;
  const isAdmin = person.administrator;
  if (endpoint.auth === 'admin' && !isAdmin) {
    throw new ApiError('forbidden', 'This requires an administrator.');
  }
  let role: AccountRole | undefined;
  if (endpoint.auth === 'member') {
    role = isAdmin
      ? 'owner'
      : await roleOf(services, endpoint.resource!, { request, authenticated });
    if (!hasRole(role, endpoint.role!)) {
      const rule = `This requires the ${endpoint.role} role (you are ${role})`;
      throw new ApiError('forbidden', `${rule}; ask an account owner.`);
    }
  }
  if (endpoint.requiresConfirmation && !session.isConfirmed) {
    request.setHeaders({ 'vidgen-confirm': 'password' });
    throw new ApiError(
      'forbidden',
      'This requires your password again; confirm the session and retry.',
    );
  }
  return { identity: undefined, actor: person.email, person, session, isAdmin, role };
}

/** Returns the session of the request, or null. Throws for cross-origin requests with a cookie. */
export async function findSession(
  { lifecycle: { db }, publicUrl }: ApiServices,
  { rawBody, streamBody }: Endpoint,
  request: RequestHead,
): Promise<AuthenticatedSession | null> {
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
  return authenticated;
}

/** A resource of another account is not found, like one that does not exist. */
async function roleOf(
  services: ApiServices,
  resource: ResourceKind,
  { request, authenticated }: { request: IncomingRequest; authenticated: AuthenticatedSession },
): Promise<AccountRole> {
  const { db } = services.lifecycle;
  const accountId = await accountIdOf(services, resource, request.params.id!);
  const personId = authenticated.person.id;
  const role = accountId === null ? null : await findRole(db, { accountId, personId });
  if (role === null) throw new ApiError('not_found', `There is no ${resource} with this id.`);
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

function notSignedIn(auth: Auth): ApiError {
  const token = auth === 'person' ? '' : ', or send "Authorization: Bearer <VIDGEN_ADMIN_TOKEN>"';
  return new ApiError('invalid_api_key', `Not signed in; sign in to the dashboard${token}.`);
}
