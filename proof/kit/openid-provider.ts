/**
 * A real OpenID provider on 127.0.0.1, whose login page takes any password. Its people, keys and
 * failures are as a test says.
 */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error: the package has no types.
import OidcProvider from 'oidc-provider';

export type OpenIdAccount = {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
};

/** `down` cuts connections, `hanging` never responds, `keyless` publishes no keys. */
type ProviderState = 'up' | 'down' | 'hanging' | 'keyless';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const client = { client_id: 'vidgen', client_secret: 'a client secret that only tests know' };

export async function startOpenIdProvider({ name = 'Paper ID' } = {}) {
  const accounts = new Map<string, OpenIdAccount>();
  const requests: string[] = [];
  let state: ProviderState = 'up';
  let handle: RequestHandler = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (state === 'down') return void request.socket.destroy();
    if (state === 'keyless' && request.url === '/jwks') {
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"keys":[]}');
    }
    if (state !== 'hanging') handle(request, response);
  });
  await once(server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let redirectUri = '';
  const build = () => {
    handle = createProvider({ issuer, redirectUri, accounts });
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    issuer,
    environment: {
      VIDGEN_OIDC_ISSUER: issuer,
      VIDGEN_OIDC_CLIENT_ID: client.client_id,
      VIDGEN_OIDC_CLIENT_SECRET: client.client_secret,
      VIDGEN_OIDC_NAME: name,
    },
    /** By login, which is also the subject. */
    accounts,
    register(serviceUrl: string): void {
      redirectUri = `${serviceUrl}/session/openid/callback`;
      build();
    },
    /** Signs with a new key from now on; the old one is withdrawn. */
    rotateKeys: build,
    setState(next: ProviderState): void {
      state = next;
    },
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createProvider(options: {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly accounts: ReadonlyMap<string, OpenIdAccount>;
}): RequestHandler {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
  const { info, warn } = console;
  // Reports that it is not configured for production.
  console.info = console.warn = () => {};
  try {
    const provider = new OidcProvider(options.issuer, {
      clients: [
        {
          ...client,
          redirect_uris: [options.redirectUri],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [key] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      cookies: { keys: ['a key of tests'] },
      pkce: { required: () => true },
      claims: {
        openid: ['sub', 'auth_time'],
        email: ['email', 'email_verified'],
        profile: ['name'],
      },
      features: { devInteractions: { enabled: true } },
      findAccount: (_context: unknown, login: string) => ({
        accountId: login,
        claims: () => ({ sub: login, ...options.accounts.get(login) }),
      }),
      loadExistingGrant,
    });
    return provider.callback();
  } finally {
    Object.assign(console, { info, warn });
  }
}

async function loadExistingGrant({ oidc }: { oidc: GrantContext }): Promise<unknown> {
  const { clientId } = oidc.client;
  const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

type GrantContext = {
  readonly client: { readonly clientId: string };
  readonly session: { readonly accountId: string };
  readonly provider: {
    readonly Grant: new (
      owner: object,
    ) => { addOIDCScope(scope: string): void; save(): Promise<void> };
  };
};
