/**
 * Where the browser returns from the OpenID provider. Every outcome is a redirect to a page of the
 * dashboard, never to another host; a failure is named in its URL.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { OpenIdProblem } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findPersonByIdentity, linkIdentity } from '../../accounts/people/identity.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import { type NewSession, rotateSession } from '../../accounts/people/session.ts';
import { countOpenIdStep } from '../../accounts/people/sign-in-throttle.ts';
import { queueSecurityMail } from '../../messages/security-mail.ts';
import type { OpenIdClaims } from '../../openid/openid-client.ts';
import { unixSeconds } from '../../process/clock.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import {
  flowCookie,
  type OpenIdFlow,
  type OpenIdPurpose,
  redirectUri,
  requireOpenId,
} from './openid.ts';
import { identifyPerson, OpenIdError } from './openid-person.ts';
import { requireSession, sessionCookies, startSession } from './session-response.ts';

/** How recent a sign-in at the provider must be to count as a confirmation. */
const recentSeconds = 600;
/** Between the clocks of the provider and of this machine. */
const clockDifferenceSeconds = 30;

type Result = { readonly person: PersonIdentity; readonly session: NewSession };

export const openIdCallback = endpoint({
  operationId: 'openIdCallback',
  method: 'GET',
  path: '/session/openid/callback',
  summary: 'Return from the OpenID provider',
  auth: 'none',
  optionalSession: true,
  hidden: true,
  responses: { 303: { description: 'To a page of the dashboard.', headers: ['Set-Cookie'] } },
  async handler(services, request) {
    const flow = flowCookie.open(services, request);
    // The callback of a sign-in that this browser did not start, or of an old one. The cookie
    // stays: the sign-in that it is for may still be under way.
    if (flow === null || request.query.state !== flow.checks.state) {
      return redirect(services, { path: problemPage(null, 'expired'), cookies: [] });
    }
    const cleared = flowCookie.cleared(services);
    try {
      const result = await finishFlow(services, request, flow);
      const cookies = result ? sessionCookies(services, request, result) : [];
      return redirect(services, { path: pageAfter(flow.purpose), cookies: [...cookies, cleared] });
    } catch (error) {
      const path = problemPage(flow.purpose, problemOf(error));
      return redirect(services, { path, cookies: [cleared] });
    }
  },
});

/** Rethrows what is neither the fault of the browser nor of the provider. */
function problemOf(error: unknown): OpenIdProblem {
  if (error instanceof OpenIdError) return error.problem;
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'rate_limited') return 'unavailable';
  // The session that the flow belongs to has ended.
  if (error.code === 'invalid_api_key') return 'expired';
  throw error;
}

async function finishFlow(
  services: ApiServices,
  request: ApiRequest,
  flow: OpenIdFlow,
): Promise<Result | null> {
  const { db, log } = services.lifecycle;
  const openid = requireOpenId(services);
  await db.transaction((tx) => countOpenIdStep(tx, request.remoteAddress()));
  const callback = new URL(redirectUri(services));
  for (const [name, value] of Object.entries(request.query)) {
    for (const one of [value].flat()) callback.searchParams.append(name, String(one));
  }
  const finished = await openid.finish(callback, flow.checks);
  if (finished.outcome === 'failed') {
    const { problem, reason } = finished;
    log.warn({ problem, reason }, 'openid sign-in failed');
    throw new OpenIdError(problem);
  }
  const { claims } = finished;
  switch (flow.purpose.kind) {
    case 'sign_in':
      return await signIn(services, request, { claims, link: flow.purpose.link });
    case 'link':
      await link(services, request, { claims, sessionId: flow.purpose.sessionId });
      return null;
    case 'confirm':
      return await confirm(request, { ...flow, claims, sessionId: flow.purpose.sessionId });
  }
}

/** The session counts as confirmed only if the provider says that the person was there recently. */
async function signIn(
  services: ApiServices,
  request: ApiRequest,
  { claims, link }: { readonly claims: OpenIdClaims; readonly link: string | null },
): Promise<Result> {
  const { settings } = requireOpenId(services);
  const isConfirmed = (claims.authenticatedAt ?? 0) > unixSeconds() - recentSeconds;
  return await services.lifecycle.db.transaction(async (tx) => {
    const person = await identifyPerson(tx, { claims, link, settings });
    return { person, session: await startSession(tx, request, person.id, { isConfirmed }) };
  });
}

type IdentityOfSession = { readonly claims: OpenIdClaims; readonly sessionId: string };

async function link(
  services: ApiServices,
  request: ApiRequest,
  { claims, sessionId }: IdentityOfSession,
): Promise<void> {
  requireSameSession(request, sessionId);
  const { person } = requireSession(request);
  const { issuer, subject, email } = claims;
  await request.transaction(async (tx) => {
    if (!(await linkIdentity(tx, { issuer, subject, email, personId: person.id }))) {
      throw new OpenIdError('linked_elsewhere');
    }
    const action = 'person.link_identity';
    const detail = { issuer, email };
    await recordAudit(tx, { actor: person.email, action, subject: person.id, detail });
    const provider = requireOpenId(services).settings.name;
    const change = { kind: 'identity_linked', provider, email } as const;
    await queueSecurityMail(tx, services.messages, person.email, change);
  });
}

async function confirm(
  request: ApiRequest,
  { claims, startedAt, sessionId }: Pick<OpenIdFlow, 'startedAt'> & IdentityOfSession,
): Promise<Result> {
  requireSameSession(request, sessionId);
  const { person, token } = requireSession(request);
  if ((claims.authenticatedAt ?? 0) < startedAt - clockDifferenceSeconds) {
    throw new OpenIdError('not_repeated');
  }
  return await request.transaction(async (tx) => {
    const identified = await findPersonByIdentity(tx, claims);
    if (identified?.id !== person.id) throw new OpenIdError('not_linked');
    return { person, session: await rotateSession(tx, token, { confirms: true }) };
  });
}

/** The session may have ended, or another person may have signed in, since the start. */
function requireSameSession({ session }: ApiRequest, sessionId: string): void {
  if (session?.id !== sessionId) throw new OpenIdError('expired');
}

function pageAfter(purpose: OpenIdPurpose): string {
  if (purpose.kind === 'sign_in') return purpose.to ?? '/';
  return purpose.kind === 'link' ? '/profile' : '/confirmed';
}

function problemPage(purpose: OpenIdPurpose | null, problem: OpenIdProblem): string {
  const query = `?problem=${problem}`;
  if (purpose === null) return `/sign-in${query}`;
  if (purpose.kind !== 'sign_in') return `${pageAfter(purpose)}${query}`;
  if (purpose.link !== null) return `/join${query}#${encodeURIComponent(purpose.link)}`;
  const to = purpose.to === null ? '' : `&to=${encodeURIComponent(purpose.to)}`;
  return `/sign-in${query}${to}`;
}

const redirect = (
  services: ApiServices,
  { path, cookies }: { readonly path: string; readonly cookies: string[] },
): ApiResponse => ({
  status: 303,
  headers: {
    location: `${services.publicUrl()}/dashboard${path}`,
    'set-cookie': cookies,
    'cache-control': 'no-store',
  },
});
