/** Starts sessions, and the response that hands a session to the browser in its cookie. */
import assert from 'node:assert/strict';
import { SessionResponse } from '@vidgen/contract/people.ts';
import { listPersonAccounts } from '../../accounts/people/membership.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import {
  type AuthenticatedSession,
  createSession,
  endSession,
  type NewSession,
} from '../../accounts/people/session.ts';
import type { Transaction } from '../../database/database.ts';
import { deviceCookie } from '../http/device-cookie.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { session as sessionSample } from './samples.ts';

export const sessionDescription = (description: string): ResponseDescription => ({
  description,
  schema: SessionResponse,
  examples: { one: ['A member of one account', sessionSample] },
});

export const signedInDescription = (description: string): ResponseDescription => ({
  ...sessionDescription(description),
  headers: ['Set-Cookie'],
});

/**
 * Starts a new session and ends the one of the request: an existing token is never reused, so that
 * a token planted by an attacker never becomes a signed-in one.
 */
export async function startSession(
  tx: Transaction,
  request: ApiRequest,
  personId: string,
  { isConfirmed = true }: { readonly isConfirmed?: boolean } = {},
): Promise<NewSession> {
  if (request.person && request.session) {
    await endSession(tx, { personId: request.person.id, sessionId: request.session.id });
  }
  const agent = String(request.headers['user-agent'] ?? '');
  const address = request.remoteAddress() ?? '';
  return await createSession(tx, { personId, address, agent, isConfirmed });
}

type SignedIn = { readonly person: PersonIdentity; readonly session: NewSession };

/** The cookies of a session, which also make the browser a known device of the person. */
export const sessionCookies = (
  services: ApiServices,
  request: ApiRequest,
  { person, session }: SignedIn,
): string[] => [
  sessionCookie(services.publicUrl(), session.token),
  deviceCookie(services, request, person.email),
];

export async function sessionResponse(
  services: ApiServices,
  request: ApiRequest,
  { person, session, status = 200 }: SignedIn & { readonly status?: number },
): Promise<ApiResponse> {
  const headers = { 'set-cookie': sessionCookies(services, request, { person, session }) };
  return { status, headers, body: await sessionView(services, { person, session }) };
}

export async function sessionView(
  { lifecycle: { db }, messages }: ApiServices,
  { person, session }: AuthenticatedSession,
): Promise<SessionResponse> {
  const { id, email, name, administrator } = person;
  return {
    person: { id, email, name, administrator },
    accounts: await listPersonAccounts(db, id),
    sends_mail: messages.mailer !== null,
    session: {
      id: session.id,
      created_at: unixSeconds(session.createdAt),
      expires_at: unixSeconds(session.expiresAt),
      confirmed_until: unixSeconds(session.confirmedUntil),
    },
  };
}

/** On endpoints with `auth: 'person'`, authorization guarantees all of them. */
export function requireSession({
  person,
  session,
  token,
}: Pick<ApiRequest, 'person' | 'session' | 'token'>): AuthenticatedSession & {
  readonly token: string;
} {
  assert(person && session && token);
  return { person, session, token };
}
