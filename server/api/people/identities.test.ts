/**
 * People of the OpenID provider: linking, unlinking, the confirmation of a session at the provider,
 * and that no password signs them in.
 * Thorough: `openid.test.ts` signs in at the provider in every run.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { openAuthenticator } from '../../../proof/kit/authenticator.ts';
import {
  type CookieBrowser,
  openCookieBrowser,
  signInAtProvider,
} from '../../../proof/kit/cookie-browser.ts';
import { startOpenIdFixture } from '../../../proof/kit/openid-fixture.ts';
import { newLink, newMember } from '../../../proof/kit/people.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { createSealer } from '../../crypto/seal.ts';

const fixture = await startOpenIdFixture();
const { provider, service, url, accountId, newLogin, invite, start, finish, signIn } = fixture;
const { linkedMember, newcomer, sessionOf, actionsOf } = fixture;
after(fixture.close);

const unlink = (personId: string) =>
  service.admin.post(`/admin/people/${personId}/unlink-identity`);
const passwordOf = ({ email, password }: { email: string; password: string }) => ({
  email,
  password,
});

const forgetConfirmations = () =>
  service.db.query(`update sessions set confirmed_at = now() - interval '11 minutes'`);

describe('linking', () => {
  test('signs the person in from then on, until an administrator unlinks it', async () => {
    const { guest, browser, login } = await linkedMember();
    const { browser: other } = await signIn(login);
    assert.equal((await sessionOf(other)).body.person.id, guest.personId);
    assert.equal((await unlink(guest.personId)).status, 200);
    for (const ended of [browser, other]) assert.equal((await sessionOf(ended)).status, 401);
    assert.equal((await signIn(login)).path, '/sign-in?problem=uninvited');
    assert.equal((await openCookieBrowser().call(`${url}/session`, passwordOf(guest))).status, 201);
    assert.deepEqual((await actionsOf(guest.personId)).slice(0, 2), [
      'person.unlink_identity',
      'person.link_identity',
    ]);
  });

  test('ends what passwords and their links do', async () => {
    const person = await newMember(service, { accountId, role: 'owner' });
    const reset = `/admin/people/${person.personId}/password-link`;
    const token = await newLink(service.admin, reset);
    const { browser } = await linkedMember(person);
    assert.equal((await browser.call(`${url}/session/security`)).body.has_password, false);
    const visitor = openCookieBrowser();
    const calls = [
      ['/session', passwordOf(person), 'invalid_api_key'],
      ['/links/use', { ...passwordOf(person), token: await invite() }, 'invalid_api_key'],
      ['/links/use', { token, password: 'a kite of rice paper' }, 'forbidden'],
    ] as const;
    for (const [path, body, code] of calls) {
      assertApiError(await visitor.call(`${url}${path}`, body), code);
    }
    assertApiError(await service.admin.post(reset), 'invalid_request', /signs in with Paper ID/);
    await forgetConfirmations();
    const { status, headers } = await browser.call(`${url}/session/second-factor`, {});
    assert.deepEqual([status, headers.get('vidgen-confirm')], [403, 'openid']);
    const confirmed = await browser.call(`${url}/session/confirm`, { password: person.password });
    assertApiError(confirmed, 'invalid_api_key');
  });

  test('ends a second step that has begun with a password', async () => {
    const person = await newMember(service, { accountId, role: 'owner' });
    const { body } = await person.post('/session/second-factor');
    const app = openAuthenticator(service.db, body.secret as string);
    await person.post('/session/second-factor/enable', { code: app.codeAt(0) });
    const browser = openCookieBrowser();
    assert.equal((await browser.call(`${url}/session`, passwordOf(person))).status, 202);
    await service.db.query(
      'insert into identities (issuer, subject, person_id) values ($1, $2::text, $2::uuid)',
      [`${provider.issuer}/`, person.personId],
    );
    const code = { code: await app.code() };
    assertApiError(await browser.call(`${url}/session/code`, code), 'invalid_api_key', /expired/);
  });

  test('takes no identity of another person, and no second one', async () => {
    const first = await linkedMember();
    const second = await linkedMember();
    for (const login of [first.login, newLogin().login]) {
      const { browser } = await signIn(second.login);
      browser.cookies(provider.issuer).clear();
      const at = await start(browser, {}, '/session/identity');
      const path = await finish(browser, await signInAtProvider(browser, { url: at, login }));
      assert.equal(path, '/profile?problem=linked_elsewhere');
    }
  });

  test('links only in the session that started it', async () => {
    const { guest, login } = await linkedMember();
    await unlink(guest.personId);
    const browser = openCookieBrowser();
    await browser.call(`${url}/session`, passwordOf(guest));
    const at = await start(browser, {}, '/session/identity');
    const callback = await signInAtProvider(browser, { url: at, login });
    await browser.call(`${url}/session`, passwordOf(guest));
    assert.equal(await finish(browser, callback), '/profile?problem=expired');
    assert.equal((await signIn(login)).path, '/sign-in?problem=uninvited');
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
    browser.call(`${url}/admin/accounts/${accountId}/keys`, { name: 'Mine', mode: 'live' });
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

  test('gets one by a link only after an administrator has unlinked the provider', async () => {
    const { email, browser } = await newcomer();
    const wrong = await openCookieBrowser().call(`${url}/session`, { email, password: 'a guess' });
    assertApiError(wrong, 'invalid_api_key');
    const { body } = await sessionOf(browser);
    const reset = `/admin/people/${body.person.id}/password-link`;
    assertApiError(await service.admin.post(reset), 'invalid_request');
    await unlink(body.person.id);
    const token = await newLink(service.admin, reset);
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
