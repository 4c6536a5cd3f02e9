/** The client of the OpenID provider: what it checks, and how failures of the provider end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openCookieBrowser, signInAtProvider } from '../../proof/kit/cookie-browser.ts';
import { startOpenIdProvider } from '../../proof/kit/openid-provider.ts';
import { createOpenIdClient, type OpenIdChecks } from './openid-client.ts';
import { isProtected } from './provider-fetch.ts';

const provider = await startOpenIdProvider();
after(() => provider.close());
const serviceUrl = 'http://127.0.0.1:9';
provider.register(serviceUrl);
provider.accounts.set('ida', { email: 'ida@example.org', email_verified: true, name: 'Ida' });
const redirectUri = `${serviceUrl}/session/openid/callback`;
const settings = {
  issuer: `${provider.issuer}/`,
  clientId: provider.environment.VIDGEN_OIDC_CLIENT_ID!,
  clientSecret: provider.environment.VIDGEN_OIDC_CLIENT_SECRET!,
  name: 'Paper ID',
  join: null,
};

async function signIn(change: Partial<OpenIdChecks> = {}) {
  const client = createOpenIdClient(settings);
  const started = await client.start({ redirectUri, isRepeated: false });
  assert(started.outcome === 'started');
  const { url, checks } = started;
  const callback = await signInAtProvider(openCookieBrowser(), { url, login: 'ida' });
  return await client.finish(new URL(callback), { ...checks, ...change });
}

test('returns what the provider says of the person', async () => {
  const result = await signIn();
  assert(result.outcome === 'identified');
  const { authenticatedAt, ...claims } = result.claims;
  assert.deepEqual(claims, {
    issuer: settings.issuer,
    subject: 'ida',
    email: 'ida@example.org',
    isEmailVerified: true,
    name: 'Ida',
  });
});

test('rejects another verifier, nonce and state', async () => {
  const changes = [{ verifier: 'x'.repeat(43) }, { nonce: 'x' }, { state: 'x' }];
  for (const change of changes) {
    const result = await signIn(change);
    assert(result.outcome === 'failed' && result.problem === 'failed', JSON.stringify(change));
  }
});

test('rejects a token that is signed with a key which the provider does not publish', async () => {
  provider.setState('keyless');
  const result = await signIn();
  provider.setState('up');
  assert(result.outcome === 'failed' && result.problem === 'failed');
});

test('ends in time if the provider hangs, is down or is out of order', async () => {
  const client = createOpenIdClient(settings, { stepMsMax: 50 });
  for (const state of ['hanging', 'down'] as const) {
    provider.setState(state);
    const result = await client.start({ redirectUri, isRepeated: false });
    assert(result.outcome === 'failed' && result.problem === 'unavailable', state);
  }
  provider.setState('up');
  const later = await createOpenIdClient(settings).start({ redirectUri, isRepeated: false });
  assert.equal(later.outcome, 'started');
});

/** Starts a sign-in at a provider that responds as told; returns why it fails. */
async function startAt(
  respond: (issuer: string, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => respond(issuer, request, response));
  await once(server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = createOpenIdClient({ ...settings, issuer });
  const result = await client.start({ redirectUri, isRepeated: false });
  server.closeAllConnections();
  server.close();
  return result.outcome === 'failed' ? `${result.problem}: ${result.reason}` : result.outcome;
}
const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('takes metadata of the configured issuer only, and follows no redirect', async () => {
  const other = await startAt((_issuer, _request, response) =>
    json(response, { issuer: 'https://evil.example', authorization_endpoint: 'https://a.example' }),
  );
  assert.match(other, /^unavailable: .*does not match the expected issuer/);
  const moved = await startAt((_issuer, request, response) =>
    request.url === '/elsewhere'
      ? json(response, {})
      : response.writeHead(302, { location: '/elsewhere' }).end(),
  );
  assert.match(moved, /^unavailable: /);
});

test('reads no more than a megabyte', async () => {
  const long = await startAt((_issuer, _request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => {});
    response.write(' '.repeat(2 * 1024 * 1024));
  });
  assert.match(long, /^unavailable: /);
});

test('requires TLS, except on this machine', () => {
  const urls = ['https://a.example/x', 'http://127.0.0.1:9/', 'http://[::1]/', 'http://localhost'];
  assert.deepEqual(urls.map(isProtected), [true, true, true, true]);
  const others = [
    'http://a.example',
    'http://10.0.0.1',
    'ftp://a.example',
    'http://127.evil.example',
  ];
  assert.deepEqual(others.map(isProtected), [false, false, false, false]);
});
