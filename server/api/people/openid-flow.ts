/**
 * A sign-in at the OpenID provider, between its start and the callback. What the callback is
 * checked with is in an encrypted cookie, for ten minutes: a callback in another browser fails.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { StartedOpenIdResponse } from '@vidgen/contract/sign-in.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { countOpenIdStep } from '../../accounts/people/sign-in-throttle.ts';
import { createSealer, type Sealer } from '../../crypto/seal.ts';
import type { OpenIdChecks, OpenIdClient } from '../../openid/openid-client.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { cookieOf, readCookieValue } from '../http/session-cookie.ts';

const name = 'vidgen_openid';
const maxAgeSeconds = 600;

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

export const startedDescription: ResponseDescription = {
  description: 'Where the browser goes next; the cookie recognizes it when it returns.',
  schema: StartedOpenIdResponse,
  examples: {
    one: ['A provider', { url: 'https://login.example.com/authorize?client_id=vidgen&state=b7Xq' }],
  },
  headers: ['Set-Cookie'],
};

const notConfigured = 'This installation has no sign-in by OpenID Connect.';
export const startErrors = { invalid_request: notConfigured, rate_limited: true } as const;

export function requireOpenId({ openid }: ApiServices): OpenIdClient {
  if (openid) return openid;
  throw new ApiError('invalid_request', notConfigured);
}

export const redirectUri = ({ publicUrl }: ApiServices): string =>
  `${publicUrl()}/session/openid/callback`;

export async function startFlow(
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
  const flow: OpenIdFlow = { purpose, checks: started.checks, startedAt };
  const value = sealerOf(services).seal(name, JSON.stringify(flow)).toString('base64url');
  const cookie = cookieOf(services.publicUrl(), { name, value, maxAgeSeconds });
  return { headers: { 'set-cookie': [cookie] }, body: { url: started.url } };
}

/** The provider returns to the public URL, and the cookie of another host is not sent there. */
function requirePublicHost({ publicUrl }: ApiServices, { headers }: ApiRequest): void {
  const { host, origin } = new URL(publicUrl());
  if (headers.host === host) return;
  throw new ApiError('invalid_request', `Open ${origin} to sign in this way.`);
}

/** Null if the cookie is missing, too old or not ours. */
export function readFlow(
  services: ApiServices,
  { headers }: Pick<ApiRequest, 'headers'>,
): OpenIdFlow | null {
  const cookie = headers.cookie as string | undefined;
  const value = readCookieValue(cookie, { name, publicUrl: services.publicUrl() });
  if (!value) return null;
  try {
    const opened = sealerOf(services).open(name, Buffer.from(value, 'base64url'));
    const flow = JSON.parse(opened) as OpenIdFlow;
    return flow.startedAt + maxAgeSeconds > unixSeconds() ? flow : null;
  } catch {
    return null;
  }
}

export const clearedFlow = ({ publicUrl }: ApiServices): string =>
  cookieOf(publicUrl(), { name, value: '', maxAgeSeconds: 0 });

const sealerOf = ({ secret }: ApiServices): Sealer =>
  createSealer(deriveKey(secret, 'flows of openid sign-ins'));
