/**
 * Sign-in at an OpenID provider: the code flow with PKCE, state and nonce. `openid-client` is
 * imported with the first sign-in, because most installations never need it. Failures of the
 * provider are results.
 */
import type { Configuration, ServerMetadata } from 'openid-client';
import type { OpenIdSettings } from '../config/env-reader.ts';
import { monotonicMs, startDeadline } from '../process/clock.ts';
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts';

/** For all requests of a step together: the person waits for them. */
const defaultStepMsMax = 10_000;
const metadataMsMax = 3_600_000;

/** What the callback is checked with. It stays in the browser, encrypted. */
export type OpenIdChecks = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type OpenIdClaims = {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Null if the provider does not tell. */
  readonly isEmailVerified: boolean | null;
  readonly name: string | null;
  /** When the person last proved who they are, in Unix seconds. */
  readonly authenticatedAt: number | null;
};

type OpenIdFailure = {
  readonly outcome: 'failed';
  readonly problem: 'cancelled' | 'failed' | 'unavailable';
  /** For the log. */
  readonly reason: string;
};

export type OpenIdClient = {
  readonly settings: OpenIdSettings;
  /** `isRepeated` makes the provider ask for the password again. */
  start(request: {
    readonly redirectUri: string;
    readonly isRepeated: boolean;
  }): Promise<
    | { readonly outcome: 'started'; readonly url: string; readonly checks: OpenIdChecks }
    | OpenIdFailure
  >;
  /** `callback` is the redirect URI with the parameters that the provider has added. */
  finish(
    callback: URL,
    checks: OpenIdChecks,
  ): Promise<{ readonly outcome: 'identified'; readonly claims: OpenIdClaims } | OpenIdFailure>;
};

type Library = typeof import('openid-client');

export function createOpenIdClient(
  settings: OpenIdSettings,
  { stepMsMax = defaultStepMsMax }: { readonly stepMsMax?: number } = {},
): OpenIdClient {
  const readMetadata = cacheMetadata((requests) => discover(settings, requests));
  const runStep = async <T>(
    work: (library: Library, configuration: Configuration) => Promise<T>,
  ): Promise<T | OpenIdFailure> => {
    using deadline = startDeadline(stepMsMax);
    const requests = createProviderFetch(deadline.signal);
    let metadata: ServerMetadata | null = null;
    try {
      const library = await import('openid-client');
      metadata = await readMetadata(requests);
      return await work(library, configure(library, { settings, metadata, requests }));
    } catch (error) {
      return failureOf(error, { isUnavailable: metadata === null || requests.isUnavailable() });
    }
  };
  return {
    settings,
    start: ({ redirectUri, isRepeated }) =>
      runStep(async (library, configuration) => {
        const checks = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          verifier: library.randomPKCECodeVerifier(),
        };
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
          ...(isRepeated ? { prompt: 'login', max_age: '0' } : {}),
        });
        return { outcome: 'started', url: url.href, checks };
      }),
    finish: (callback, checks) =>
      runStep(async (library, configuration) => ({
        outcome: 'identified',
        claims: await readClaims(library, configuration, { settings, callback, checks }),
      })),
  };
}

/** Shares one request between concurrent sign-ins, and its result for an hour. */
function cacheMetadata(read: (requests: ProviderFetch) => Promise<ServerMetadata>) {
  let cached: { readonly metadata: Promise<ServerMetadata>; readonly readAtMs: number } | null =
    null;
  return async (requests: ProviderFetch): Promise<ServerMetadata> => {
    if (cached === null || monotonicMs() - cached.readAtMs > metadataMsMax) {
      const metadata = read(requests);
      const entry = { metadata, readAtMs: monotonicMs() };
      cached = entry;
      metadata.catch(() => {
        if (cached === entry) cached = null;
      });
    }
    return await cached.metadata;
  };
}

async function discover(
  { issuer, clientId }: OpenIdSettings,
  { fetch }: ProviderFetch,
): Promise<ServerMetadata> {
  const { discovery, customFetch, allowInsecureRequests } = await import('openid-client');
  const configuration = await discovery(new URL(issuer), clientId, undefined, undefined, {
    [customFetch]: fetch,
    ...(issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}),
  });
  return configuration.serverMetadata();
}

/**
 * A configuration of its own for each step, so that the keys of the provider are read with every
 * sign-in: a key that was replaced or withdrawn counts at once.
 */
function configure(
  library: Library,
  {
    settings: { issuer, clientId, clientSecret },
    metadata,
    requests,
  }: { settings: OpenIdSettings; metadata: ServerMetadata; requests: ProviderFetch },
): Configuration {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_post')
    ? library.ClientSecretPost(clientSecret)
    : library.ClientSecretBasic(clientSecret);
  const server = { ...metadata };
  const configuration = new library.Configuration(server, clientId, {}, authentication);
  configuration[library.customFetch] = requests.fetch;
  if (issuer.startsWith('http:')) library.allowInsecureRequests(configuration);
  library.enableNonRepudiationChecks(configuration);
  return configuration;
}

async function readClaims(
  library: Library,
  configuration: Configuration,
  { settings, callback, checks }: { settings: OpenIdSettings; callback: URL; checks: OpenIdChecks },
): Promise<OpenIdClaims> {
  const tokens = await library.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  if (new URL(claims.iss).href !== settings.issuer) {
    throw new Error(`the ID token is from another issuer: ${claims.iss}`);
  }
  // Providers may tell the email address only here.
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const about =
    claims.email === undefined && hasEndpoint
      ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const { email, email_verified: verified, name } = about;
  return {
    issuer: settings.issuer,
    subject: claims.sub,
    email: typeof email === 'string' ? email : null,
    // Some providers send text.
    isEmailVerified:
      verified === undefined ? null : verified === true || String(verified) === 'true',
    name: typeof name === 'string' ? name : null,
    authenticatedAt: typeof claims.auth_time === 'number' ? claims.auth_time : null,
  };
}

function failureOf(
  error: unknown,
  { isUnavailable }: { readonly isUnavailable: boolean },
): OpenIdFailure {
  const { error: refused, code, message } = error as Error & { error?: string; code?: string };
  if (refused === 'access_denied') {
    return { outcome: 'failed', problem: 'cancelled', reason: refused };
  }
  const problem = isUnavailable ? 'unavailable' : 'failed';
  return {
    outcome: 'failed',
    problem,
    reason: [code, refused, message].filter(Boolean).join(': '),
  };
}
