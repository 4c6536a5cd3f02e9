/**
 * Sign-in by OpenID Connect against a real provider: who gets in, as whom, and that forged, stolen,
 * repeated or foreign callbacks do not.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { openCookieBrowser } from '../../../proof/kit/cookie-browser.ts';
import { domainAccount, startOpenIdFixture } from '../../../proof/kit/openid-fixture.ts';
import { newMember } from '../../../proof/kit/people.ts';

const fixture = await startOpenIdFixture();
const { provider, service, url, accountId } = fixture;
const { newLogin, invite, beginSignIn, finish, signIn, newcomer } = fixture;
const { sessionOf, isSignedIn, actionsOf } = fixture;
after(fixture.close);

describe('the first sign-in', () => {
  test('accepts the invitation for the verified address, in any case, and returns', async () => {
    const { login, email } = newLogin({ email: 'Ida.Holm@Example.ORG' });
    await invite('ida.holm@EXAMPLE.org');
    const { browser, path } = await signIn(login, { to: '/accounts?mode=test' });
    assert.equal(path, '/accounts?mode=test');
    const { body } = await sessionOf(browser);
    assert.deepEqual([body.person.email, body.person.name], [email, 'Ida Holm']);
    assert.deepEqual(body.accounts, [{ id: accountId, name: 'Boats', role: 'developer' }]);
    assert.deepEqual(await actionsOf(body.person.id), ['person.create']);
    const security = await browser.call(`${url}/session/security`);
    assert.deepEqual(
      [security.body.has_password, security.body.openid.identity.email],
      [false, email],
    );
    // The next one needs none.
    assert.equal((await signIn(login)).path, '/');
  });

  test('needs an invitation', async () => {
    const { browser, path } = await signIn(newLogin().login);
    assert.equal(path, '/sign-in?problem=uninvited');
    assert.equal(await isSignedIn(browser), false);
  });

  test('needs a verified address', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: undefined }]) {
      const { login, email } = newLogin(claims);
      await invite(email);
      assert.equal((await signIn(login)).path, '/sign-in?problem=unverified');
    }
  });

  test('by a link takes an address that the provider does not vouch for', async () => {
    const { login } = newLogin({ email_verified: undefined });
    const link = await invite();
    const { browser } = await signIn(login, { link });
    assert.equal(await isSignedIn(browser), true);
    const other = newLogin();
    assert.equal((await signIn(other.login, { link })).path, `/join?problem=uninvited#${link}`);
    const denied = newLogin({ email_verified: false });
    const { path } = await signIn(denied.login, { link: await invite() });
    assert.match(path, /^\/join\?problem=unverified#/);
  });

  test('of an allowed domain joins the account of the operator', async () => {
    const { login } = newLogin({ email: 'new@Paper.Example' });
    const { browser } = await signIn(login);
    const { body } = await sessionOf(browser);
    assert.deepEqual(body.accounts, [{ id: domainAccount, name: 'Paper', role: 'developer' }]);
    const impostor = newLogin({ email: 'boss@paper.example', email_verified: false });
    assert.equal((await signIn(impostor.login)).path, '/sign-in?problem=unverified');
    const below = newLogin({ email: 'x@evil.paper.example' });
    assert.equal((await signIn(below.login)).path, '/sign-in?problem=uninvited');
  });

  test('of an allowed domain lands in its account, although another invited it', async () => {
    const paper = { id: domainAccount, name: 'Paper' };
    const accountsOf = async (login: string, request: object = {}) =>
      (await sessionOf((await signIn(login, request)).browser)).body.accounts;
    const invited = newLogin({ email: 'invited@paper.example' });
    const link = await invite(invited.email, 'owner');
    assert.deepEqual(await accountsOf(invited.login), [{ ...paper, role: 'developer' }]);
    // Only the person accepts it, by its link.
    const boats = { id: accountId, name: 'Boats' };
    const both = [
      { ...boats, role: 'owner' },
      { ...paper, role: 'developer' },
    ];
    assert.deepEqual(await accountsOf(invited.login, { link }), both);
    const opened = newLogin({ email: 'opened@paper.example' });
    const open = { link: await invite(opened.email, 'owner') };
    assert.deepEqual(await accountsOf(opened.login, open), both);
    // An invitation to the account itself can give more.
    const boss = newLogin({ email: 'boss@paper.example' });
    const request = { role: 'owner', email: boss.email };
    await service.admin.post(`/admin/accounts/${domainAccount}/invitations`, request);
    assert.deepEqual(await accountsOf(boss.login), [{ ...paper, role: 'owner' }]);
  });

  test('of an allowed domain finds its address free: no password takes it', async () => {
    const { login, email } = newLogin({ email: 'free@paper.example' });
    const token = await invite(email);
    for (const taken of [email, 'FREE@Paper.example', 'free@\uff50aper.example']) {
      const join = { token, email: taken, name: 'Mallory', password: 'a boat of folded paper' };
      const response = await openCookieBrowser().call(`${url}/links/use`, join);
      assertApiError(response, 'invalid_request', /sign in with Paper ID/);
    }
    assert.equal((await signIn(login)).path, '/');
  });

  test('never becomes an existing person by their address', async () => {
    const guest = await newMember(service, { accountId, role: 'owner' });
    const { login } = newLogin({ email: guest.email.toUpperCase() });
    await invite(guest.email);
    assert.equal((await signIn(login)).path, '/sign-in?problem=email_taken');
    const link = await invite();
    assert.match((await signIn(login, { link })).path, /^\/join\?problem=email_taken/);
  });
});

describe('a callback', () => {
  test('works once, and the code never again', async () => {
    const { login } = await newcomer();
    const browser = openCookieBrowser();
    const callback = await beginSignIn(browser, login);
    const before = new Map(browser.cookies(url));
    assert.equal(await finish(browser, callback), '/');
    assert.equal(await finish(browser, callback), '/sign-in?problem=expired');
    // A thief who has copied the cookie, too.
    const thief = openCookieBrowser();
    for (const [name, value] of before) thief.cookies(url).set(name, value);
    assert.equal(await finish(thief, callback), '/sign-in?problem=failed');
    assert.equal(await isSignedIn(thief), false);
  });

  test('in a browser that did not start it signs no one in', async () => {
    const { login } = await newcomer();
    const attacker = openCookieBrowser();
    const callback = await beginSignIn(attacker, login);
    const victim = openCookieBrowser();
    assert.equal(await finish(victim, callback), '/sign-in?problem=expired');
    assert.equal(await isSignedIn(victim), false);
    // Nor one that has started its own, which still works after it.
    const own = await newcomer();
    const ownCallback = await beginSignIn(victim, own.login);
    assert.equal(await finish(victim, callback), '/sign-in?problem=expired');
    assert.equal(await finish(victim, ownCallback), '/');
    assert.equal((await sessionOf(victim)).body.person.email, own.email);
  });

  test('with another state, issuer or error is rejected', async () => {
    const { login } = await newcomer();
    const changed = async (change: (params: URLSearchParams) => void) => {
      const browser = openCookieBrowser();
      const callback = new URL(await beginSignIn(browser, login));
      change(callback.searchParams);
      const path = await finish(browser, callback.href);
      assert.equal(await isSignedIn(browser), false);
      return path;
    };
    const problem = '/sign-in?problem=';
    assert.equal(await changed((params) => params.set('state', 'x')), `${problem}expired`);
    assert.equal(await changed((params) => params.append('state', 'x')), `${problem}expired`);
    const evil = 'https://evil.example';
    assert.equal(await changed((params) => params.set('iss', evil)), `${problem}failed`);
    assert.equal(await changed((params) => params.delete('iss')), `${problem}failed`);
    assert.equal(await changed((params) => params.set('code', 'x')), `${problem}failed`);
    const denied = await changed((params) => {
      params.delete('code');
      params.set('error', 'access_denied');
    });
    assert.equal(denied, `${problem}cancelled`);
  });

  test('returns to no other host', async () => {
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\r\nb', '']) {
      const response = await openCookieBrowser().call(`${url}/session/openid`, { to });
      assertApiError(response, 'invalid_request');
    }
  });
});

test('a removed person is not let in by the identity, the domain or an old session', async () => {
  const { login } = newLogin({ email: 'leaver@paper.example' });
  const { browser } = await signIn(login);
  const { body } = await sessionOf(browser);
  await service.admin.post(`/admin/people/${body.person.id}/close`);
  assert.equal(await isSignedIn(browser), false);
  assert.equal((await signIn(login)).path, '/sign-in?problem=deactivated');
  // A new invitation makes a new person of them, if they open it.
  const link = await invite('leaver@paper.example', 'viewer');
  assert.equal((await signIn(login)).path, '/sign-in?problem=deactivated');
  const { browser: back } = await signIn(login, { link });
  const { body: again } = await sessionOf(back);
  assert.notEqual(again.person.id, body.person.id);
  assert.deepEqual(again.accounts, [{ id: accountId, name: 'Boats', role: 'viewer' }]);
});

describe('the provider', () => {
  test('may change its keys between two sign-ins', async () => {
    const { login } = await newcomer();
    assert.equal((await signIn(login)).path, '/');
    provider.rotateKeys();
    assert.equal((await signIn(login)).path, '/');
  });

  test('that is down ends the sign-in with a message, and passwords still work', async () => {
    const { login } = await newcomer();
    const { email, password } = await newMember(service, { accountId, role: 'viewer' });
    const browser = openCookieBrowser();
    const callback = await beginSignIn(browser, login);
    provider.setState('down');
    assert.equal(await finish(browser, callback), '/sign-in?problem=unavailable');
    assert.equal((await browser.call(`${url}/session`, { email, password })).status, 201);
    provider.setState('up');
    assert.equal((await signIn(login)).path, '/');
  });

  test('is named to everyone, and nothing else of it', async () => {
    const { body } = await openCookieBrowser().call(`${url}/session/methods`);
    assert.deepEqual(body, {
      openid: { name: 'Paper ID' },
      sends_mail: false,
      awaits_administrator: true,
    });
  });
});
