/**
 * Linked identities and people without a password: linking, unlinking, and the confirmation of a
 * session at the provider.
 * Thorough: `openid.test.ts` signs in at the provider in every run.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  type CookieBrowser,
  openCookieBrowser,
  signInAtProvider,
} from '../../../proof/kit/cookie-browser.ts';
import { startOpenIdFixture } from '../../../proof/kit/openid-fixture.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { createSealer } from '../../seal.ts';

const fixture = await startOpenIdFixture();
const { service, url, accountId, newLogin, start, finish, signIn } = fixture;
const { linkedMember, newcomer, sessionOf, actionsOf } = fixture;
after(fixture.close);

const forgetConfirmations = () =>
  service.db.query(`update sessions set confirmed_at = now() - interval '11 minutes'`);

describe('linking', () => {
  test('signs the person in from then on, until it is unlinked', async () => {
    const { guest, browser, login } = await linkedMember();
    const { browser: other } = await signIn(login);
    assert.equal((await sessionOf(other)).body.person.id, guest.personId);
    const unlinked = await browser.call(`${url}/session/identity`, undefined, 'DELETE');
    assert.equal(unlinked.status, 204);
    assert.equal((await signIn(login)).path, '/sign-in?problem=uninvited');
    assert.deepEqual((await actionsOf(guest.personId)).slice(0, 2), [
      'person.unlink_identity',
      'person.link_identity',
    ]);
  });

  test('takes no identity of another person, and no second one', async () => {
    const first = await linkedMember();
    const second = await linkedMember();
    for (const login of [first.login, newLogin().login]) {
      const browser = openCookieBrowser();
      const { email, password } = second.guest;
      await browser.call(`${url}/session`, { email, password });
      const at = await start(browser, {}, '/session/identity');
      const path = await finish(browser, await signInAtProvider(browser, { url: at, login }));
      assert.equal(path, '/profile?problem=linked_elsewhere');
    }
  });

  test('links only in the session that started it', async () => {
    const { guest, browser, login } = await linkedMember();
    await browser.call(`${url}/session/identity`, undefined, 'DELETE');
    const at = await start(browser, {}, '/session/identity');
    const callback = await signInAtProvider(browser, { url: at, login });
    await browser.call(`${url}/session`, { email: guest.email, password: guest.password });
    assert.equal(await finish(browser, callback), '/profile?problem=expired');
    assert.equal((await signIn(login)).path, '/sign-in?problem=uninvited');
  });

  test('needs a recent password, and a password to go back to', async () => {
    const { browser } = await linkedMember();
    await forgetConfirmations();
    const response = await browser.call(`${url}/session/identity`, {});
    assert.deepEqual([response.status, response.headers.get('vidgen-confirm')], [403, 'password']);
    const { login, browser: without } = await newcomer();
    await confirmAt(without, login);
    const unlink = await without.call(`${url}/session/identity`, undefined, 'DELETE');
    assertApiError(unlink, 'invalid_request');
  });
});

async function confirmAt(browser: CookieBrowser, login: string): Promise<string> {
  const at = await start(browser, {}, '/session/confirm/openid');
  return await finish(browser, await signInAtProvider(browser, { url: at, login }));
}

/** As if the flow had begun a minute after the sign-in at the provider. */
function startLater(browser: CookieBrowser): void {
  const name = 'vidgen_openid';
  const sealer = createSealer(deriveKey(service.parts.secret, 'flows of openid sign-ins'));
  const cookies = browser.cookies(url);
  const sealed = Buffer.from(cookies.get(`__Host-${name}`)!, 'base64url');
  const flow = JSON.parse(sealer.open(name, sealed));
  const later = JSON.stringify({ ...flow, startedAt: flow.startedAt + 60 });
  cookies.set(`__Host-${name}`, sealer.seal(name, later).toString('base64url'));
}

describe('a person without a password', () => {
  const createKey = (browser: CookieBrowser) =>
    browser.call(`${url}/admin/accounts/${accountId}/keys`, { name: 'Mine', mode: 'test' });
  const unconfirmed = async () => {
    const person = await newcomer();
    await forgetConfirmations();
    return person;
  };

  test('confirms a session by signing in again at the provider', async () => {
    const { login, browser } = await unconfirmed();
    const refused = await createKey(browser);
    assert.deepEqual([refused.status, refused.headers.get('vidgen-confirm')], [403, 'openid']);
    const at = new URL(await start(browser, {}, '/session/confirm/openid'));
    assert.deepEqual(
      ['prompt', 'max_age'].map((name) => at.searchParams.get(name)),
      ['login', '0'],
    );
    const before = new Map(browser.cookies(url));
    assert.equal(await confirmAt(browser, login), '/confirmed');
    assert.notDeepEqual(browser.cookies(url), before);
    assert.equal((await createKey(browser)).status, 201);
  });

  test('does not confirm by an earlier sign-in, nor as another person', async () => {
    const { login, browser } = await unconfirmed();
    const at = new URL(await start(browser, {}, '/session/confirm/openid'));
    // As at a provider that ignores the wish, and answers with the sign-in of before.
    at.searchParams.delete('prompt');
    at.searchParams.delete('max_age');
    at.searchParams.set('claims', JSON.stringify({ id_token: { auth_time: null } }));
    const callback = await signInAtProvider(browser, { url: at.href, login });
    startLater(browser);
    assert.equal(await finish(browser, callback), '/confirmed?problem=not_repeated');
    browser.cookies(fixture.provider.issuer).clear();
    const other = newLogin();
    assert.equal(await confirmAt(browser, other.login), '/confirmed?problem=not_linked');
    assert.equal((await createKey(browser)).status, 403);
  });

  test('has no password to sign in with, and gets one by a link', async () => {
    const { email, browser } = await newcomer();
    const wrong = await openCookieBrowser().call(`${url}/session`, { email, password: 'a guess' });
    assertApiError(wrong, 'invalid_api_key');
    const { body } = await sessionOf(browser);
    const link = await service.admin.post(`/admin/people/${body.person.id}/password-link`);
    const token = String(link.body.link).split('#')[1];
    const set = { token, password: 'a kite of rice paper' };
    assert.equal((await openCookieBrowser().call(`${url}/links/use`, set)).status, 201);
  });

  test('needs a password for a second factor', async () => {
    const { login, browser } = await newcomer();
    await confirmAt(browser, login);
    const response = await browser.call(`${url}/session/second-factor`, {});
    assertApiError(response, 'invalid_request');
  });
});
