/**
 * Sign-ins at the OpenID provider, from their start until the browser returns to
 * `openid-callback.ts`. What the callback is checked with is in a cookie: a callback in another
 * browser fails.
 */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  LinkIdentityRequest,
  StartedOpenIdResponse,
  StartOpenIdRequest,
} from '@vidgen/contract/sign-in.ts';
import { hasSecondFactor } from '../../accounts/people/second-factor.ts';
import { countOpenIdStep } from '../../accounts/people/sign-in-throttle.ts';
import type { OpenIdChecks, OpenIdClient } from '../../openid/openid-client.ts';
import { unixSeconds } from '../../process/clock.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { code as codeSample } from './samples.ts';
import { sealedCookie } from './sealed-cookie.ts';
import { authenticateCode } from './second-step.ts';
import { requireSession } from './session-response.ts';

export type OpenIdPurpose =
  /** `to` is a path below `/dashboard`, and `link` the token of an invitation. */
  | { readonly kind: 'sign_in'; readonly to: string | null; readonly link: string | null }
  /** Of the person who is signed in: links the identity, or confirms the session. */
  | { readonly kind: 'link' | 'confirm'; readonly sessionId: string };

export type OpenIdFlow = {
  readonly purpose: OpenIdPurpose;
  readonly checks: OpenIdChecks;
  /** In Unix seconds. */
  readonly startedAt: number;
};

export const flowCookie = sealedCookie<OpenIdFlow>({
  name: 'vidgen_openid',
  purpose: 'flows of openid sign-ins',
});

const notConfigured = 'This installation has no sign-in by OpenID Connect.';

/** What the endpoints share that send the browser to the provider. */
const startsFlow = {
  method: 'POST',
  responses: {
    200: {
      description: 'Where the browser goes next; the cookie recognizes it when it returns.',
      schema: StartedOpenIdResponse,
      examples: {
        one: [
          'A provider',
          { url: 'https://login.example.com/authorize?client_id=vidgen&state=b7Xq' },
        ],
      },
      headers: ['Set-Cookie'],
    },
  },
  errors: { invalid_request: notConfigured, rate_limited: true },
} as const;

const startOpenId = endpoint({
  ...startsFlow,
  operationId: 'startOpenId',
  path: '/session/openid',
  summary: 'Sign in by OpenID Connect',
  description:
    'The first sign-in needs an invitation: `link`, or one that was sent to the verified email ' +
    'address. People who have a password link the provider in their profile instead.',
  auth: 'none',
  optionalSession: true,
  body: StartOpenIdRequest,
  requestExamples: { one: ['Return to a page', { to: '/profile' }] },
  async handler(services, request) {
    const { to = null, link = null } = request.body;
    return await startFlow(services, request, { kind: 'sign_in', to, link });
  },
});

/** A person with a second factor gives a code, too: the identity will sign them in without one. */
const linkIdentity = endpoint({
  ...startsFlow,
  operationId: 'linkIdentity',
  path: '/session/identity',
  summary: 'Link sign-in by OpenID Connect',
  description: 'With two-factor authentication, a code is required.',
  auth: 'person',
  requiresConfirmation: true,
  body: LinkIdentityRequest,
  requestExamples: { one: ['With a code', { code: codeSample }] },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { code } = request.body;
    if (await hasSecondFactor(services.lifecycle.db, person.id)) {
      if (code === undefined) throw invalidRequest('code is required');
      const attempt = { personId: person.id, sessionId: session.id };
      const proof = await authenticateCode(services, { person, code, attempt });
      await request.transaction((tx) => proof.accept(tx));
    }
    return await startFlow(services, request, { kind: 'link', sessionId: session.id });
  },
});

const confirmByOpenId = endpoint({
  ...startsFlow,
  operationId: 'confirmByOpenId',
  path: '/session/confirm/openid',
  summary: 'Confirm a session by OpenID Connect',
  description: 'For people without a password. The provider asks the person to sign in again.',
  auth: 'person',
  async handler(services, request) {
    const { session } = requireSession(request);
    return await startFlow(services, request, { kind: 'confirm', sessionId: session.id });
  },
});

export function requireOpenId({ openid }: ApiServices): OpenIdClient {
  if (openid) return openid;
  throw invalidRequest(notConfigured);
}

export const redirectUri = ({ publicUrl }: ApiServices): string =>
  `${publicUrl()}/session/openid/callback`;

async function startFlow(
  services: ApiServices,
  request: ApiRequest,
  purpose: OpenIdPurpose,
): Promise<ApiResponse> {
  const openid = requireOpenId(services);
  requirePublicHost(services, request);
  await request.transaction((tx) => countOpenIdStep(tx, request.remoteAddress()));
  const startedAt = unixSeconds();
  const started = await openid.start({
    redirectUri: redirectUri(services),
    isRepeated: purpose.kind === 'confirm',
  });
  if (started.outcome === 'failed') {
    services.lifecycle.log.warn({ reason: started.reason }, 'openid provider did not respond');
    const message = `${openid.settings.name} is not available right now; try again in a minute.`;
    throw new ApiError('internal_error', message);
  }
  const cookie = flowCookie.seal(services, { purpose, checks: started.checks, startedAt });
  return { headers: { 'set-cookie': [cookie] }, body: { url: started.url } };
}

/** The provider returns to the public URL, and the cookie of another host is not sent there. */
function requirePublicHost({ publicUrl }: ApiServices, { headers }: ApiRequest): void {
  const { host, origin } = new URL(publicUrl());
  if (headers.host === host) return;
  throw invalidRequest(`Open ${origin} to sign in this way.`);
}

export const openIdEndpoints = [startOpenId, linkIdentity, confirmByOpenId];
