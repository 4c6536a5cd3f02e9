/** A service with a real OpenID provider, and people who sign in there without a screen. */
import assert from 'node:assert/strict';
import { createAccount } from '../../server/accounts/account.ts';
import { type CookieBrowser, openCookieBrowser, signInAtProvider } from './cookie-browser.ts';
import { type OpenIdAccount, startOpenIdProvider } from './openid-provider.ts';
import { type Guest, newLink, newMember } from './people.ts';
import { pluck } from './pluck.ts';
import { startService } from './service.ts';

/** People of `paper.example` join it. */
export const domainAccount = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

type FixtureOptions = { readonly environment?: Readonly<Record<string, string>> };

export async function startOpenIdFixture({ environment = {} }: FixtureOptions = {}) {
  const { provider, service } = await startBoth(environment);
  const { url } = service;
  const accountId = (await service.account({ name: 'Boats' })).id;

  let logins = 0;
  /** A person of the provider, unless told otherwise with a verified address. */
  const newLogin = (claims: Partial<Record<keyof OpenIdAccount, unknown>> = {}) => {
    const login = `login-${++logins}`;
    const account = { email: `${login}@example.org`, email_verified: true, name: 'Ida Holm' };
    const all = { ...account, ...claims } as OpenIdAccount & { email: string };
    provider.accounts.set(login, all);
    return { login, email: all.email };
  };
  const invite = (email?: string, role = 'developer'): Promise<string> =>
    newLink(service.admin, `/admin/accounts/${accountId}/invitations`, { role, email });
  const start = async (browser: CookieBrowser, request: object = {}, path = '/session/openid') => {
    const { status, body } = await browser.call(`${url}${path}`, request);
    assert.equal(status, 200, JSON.stringify(body));
    return body.url as string;
  };
  /** Returns the URL of the callback without opening it. */
  const beginSignIn = async (browser: CookieBrowser, login: string, request: object = {}) =>
    await signInAtProvider(browser, { url: await start(browser, request), login });
  /** Returns the path of the dashboard that the service redirects to. */
  const finish = async (browser: CookieBrowser, callback: string): Promise<string> => {
    const { status, headers, text } = await browser.send(callback);
    assert.equal(status, 303, text);
    const location = headers.get('location')!;
    assert(location.startsWith(`${url}/dashboard/`), location);
    return location.slice(`${url}/dashboard`.length);
  };
  const signIn = async (login: string, request: object = {}) => {
    const browser = openCookieBrowser();
    const path = await finish(browser, await beginSignIn(browser, login, request));
    return { browser, path };
  };
  return {
    provider,
    service,
    url,
    accountId,
    newLogin,
    invite,
    start,
    beginSignIn,
    finish,
    signIn,
    /** A person without a password who has signed in before. */
    async newcomer() {
      const { login, email } = newLogin();
      await invite(email);
      const { browser } = await signIn(login);
      return { login, email, browser };
    },
    /** A member with a password who has linked a login. */
    async linkedMember(member?: Guest) {
      const guest = member ?? (await newMember(service, { accountId, role: 'owner' }));
      const browser = openCookieBrowser();
      const { email, password } = guest;
      await browser.call(`${url}/session`, { email, password });
      const { login } = newLogin();
      const at = await start(browser, {}, '/session/identity');
      const callback = await signInAtProvider(browser, { url: at, login });
      assert.equal(await finish(browser, callback), '/profile');
      return { guest, browser, login };
    },
    sessionOf: (browser: CookieBrowser) => browser.call(`${url}/session`),
    isSignedIn: async (browser: CookieBrowser) =>
      (await browser.call(`${url}/session`)).status === 200,
    actionsOf: async (subject: string) => pluck(await service.auditLog(subject), 'action'),
    async close() {
      await service.close();
      await provider.close();
    },
  };
}

async function startBoth(environment: FixtureOptions['environment']) {
  const provider = await startOpenIdProvider();
  const service = await startService({
    environment: {
      VIDGEN_ROLE: 'api',
      ...provider.environment,
      VIDGEN_OIDC_DOMAINS: 'paper.example',
      VIDGEN_OIDC_ACCOUNT: domainAccount,
      VIDGEN_OIDC_ROLE: 'developer',
      ...environment,
    },
  });
  provider.register(service.url);
  await service.db.transaction(async (tx) => {
    const { id } = await createAccount(tx, { name: 'Paper' });
    await tx.query('update accounts set id = $2 where id = $1', [id, domainAccount]);
  });
  return { provider, service };
}
