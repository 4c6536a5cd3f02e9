/** Signing in over HTTP: the cookie, sign-out, confirmation by password, and throttled guessing. */
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  ListMembersResponse,
  ListSessionsResponse,
  SessionResponse,
} from '@vidgen/contract/people.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  type BrowserSession,
  newAdministrator,
  newMember,
  openBrowserSession,
  testPassword,
} from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });
const accountId = (await service.account()).id;

const member = () => newMember(service, { accountId, role: 'owner' });
const signIn = async (email: string, password = testPassword) => {
  const browser = openBrowserSession(service.url);
  return { browser, response: await browser.post('/session', { email, password }) };
};
const isSignedIn = async (browser: BrowserSession) =>
  (await browser.get('/session')).status === 200;

const forgetConfirmation = () =>
  service.db.query(`update sessions set confirmed_at = now() - interval '11 minutes'`);

describe('signing in', () => {
  test('sets a lasting cookie and returns the person', async () => {
    const { email, personId } = await member();
    const { browser, response } = await signIn(email.toUpperCase());
    assert.equal(response.status, 201);
    const { person, accounts, session } = SessionResponse.parse(response.body);
    assert.deepEqual([person.id, person.email, person.administrator], [personId, email, false]);
    assert.deepEqual(accounts, [{ id: accountId, name: 'Journey', role: 'owner' }]);
    assert.equal(session.expires_at - session.created_at, 30 * 86_400);
    assert.equal(session.confirmed_until - session.created_at, 600);
    const [cookie = ''] = response.headers.getSetCookie();
    assert.match(
      cookie,
      /^__Host-vidgen_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert(!JSON.stringify(response.body).includes(cookie.slice(22, 60)));
    assert.deepEqual((await browser.get('/session')).body, response.body);
  });

  test('a wrong password and an unknown person get the same error', async () => {
    const { email } = await member();
    const wrong = await signIn(email, 'not the password at all');
    const unknown = await signIn('nobody@example.com', 'not the password at all');
    const [first, second] = [wrong, unknown].map(({ response }) =>
      assertApiError(response, 'invalid_api_key'),
    );
    assert.deepEqual(first, second);
    assert.equal(wrong.response.headers.get('set-cookie'), null);
  });

  test('rejects an email address that the database cannot store', async () => {
    assertApiError((await signIn('a\0b@example.com')).response, 'invalid_request');
    assertApiError((await signIn('\ud800@example.com')).response, 'invalid_request');
  });

  test('ends the previous session', async () => {
    const { email } = await member();
    const { browser } = await signIn(email);
    const old = browser.cookie()!;
    assert.equal((await browser.post('/session', { email, password: testPassword })).status, 201);
    assert.notEqual(browser.cookie(), old);
    const thief = await fetch(`${service.url}/session`, { headers: { cookie: old } });
    assert.equal(thief.status, 401);
  });

  test('rejects cross-origin requests, signed in or not', async () => {
    const { email } = await member();
    const browser = openBrowserSession(service.url);
    const body = { email, password: testPassword };
    const foreign = await browser.send('POST', '/session', body, {
      'sec-fetch-site': 'cross-site',
    });
    assertApiError(foreign, 'forbidden');
    assert.equal(await isSignedIn(browser), false);
  });

  test('renews an outdated hash', async () => {
    const { email, personId } = await member();
    const hash = async () => {
      const { rows } = await service.db.query<{ hash: string }>(
        'select password_hash as hash from people where id = $1',
        [personId],
      );
      return rows[0]!.hash;
    };
    const nonce = Buffer.alloc(16, 7);
    const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
    const tag = argon2Sync('argon2id', { ...cost, message: testPassword, nonce });
    const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    const weak = `$argon2id$v=19$m=8,t=1,p=1$${unpadded(nonce)}$${unpadded(tag)}`;
    await service.db.query('update people set password_hash = $2 where id = $1', [personId, weak]);
    assert.equal((await signIn(email)).response.status, 201);
    assert.match(await hash(), /m=19456,t=2,p=1/);
    assert.equal((await signIn(email)).response.status, 201);
  });
});

describe('sessions', () => {
  test('end by signing out', async () => {
    const browser = await member();
    const { cookie } = browser;
    const held = cookie()!;
    const response = await browser.send('DELETE', '/session');
    assert.equal(response.status, 204);
    assert.match(response.headers.getSetCookie()[0]!, /^__Host-vidgen_session=; .*Max-Age=0/);
    const again = await fetch(`${service.url}/session`, { headers: { cookie: held } });
    assert.equal(again.status, 401);
  });

  test('are listed with their addresses, and ended by their own person only', async () => {
    const first = await member();
    const { browser: second } = await signIn(first.email);
    const outsider = await member();
    const { items } = ListSessionsResponse.parse((await second.get('/sessions')).body);
    assert.deepEqual(pluck(items, 'current'), [true, false]);
    assert(items.every(({ address, agent }) => /127\.0\.0\.1/.test(address) && agent !== ''));
    assertApiError(await outsider.send('DELETE', `/sessions/${items[0]!.id}`), 'not_found');
    assertApiError(await second.send('DELETE', '/sessions/none'), 'not_found');
    assert.equal((await second.send('DELETE', `/sessions/${items[1]!.id}`)).status, 204);
    assert.deepEqual([await isSignedIn(first), await isSignedIn(second)], [false, true]);
  });

  test('do not help a wrong token: the token decides', async () => {
    const browser = await newAdministrator(service);
    const headers = { authorization: 'Bearer not the admin token, but as long as one' };
    assertApiError(
      await browser.send('GET', '/admin/accounts', undefined, headers),
      'invalid_api_key',
    );
    assert.equal((await browser.get('/admin/accounts')).status, 200);
  });
});

test('live keys need a confirmation in the last ten minutes, test keys do not', async () => {
  const browser = await member();
  const createKey = (mode = 'live') =>
    browser.post(`/admin/accounts/${accountId}/keys`, { name: 'Mine', mode });
  assert.equal((await createKey()).status, 201);
  await forgetConfirmation();
  assert.equal((await createKey('test')).status, 201);
  const response = await createKey();
  assertApiError(response, 'forbidden');
  assert.equal(response.headers.get('vidgen-confirm'), 'password');
  const before = browser.cookie();
  const wrong = await browser.post('/session/confirm', { password: 'something else again' });
  assertApiError(wrong, 'invalid_api_key');
  assert.equal(browser.cookie(), before);
  const confirmed = await browser.post('/session/confirm', { password: testPassword });
  assert.equal(confirmed.status, 200);
  SessionResponse.parse(confirmed.body);
  assert.notEqual(browser.cookie(), before);
  assert.equal((await createKey()).status, 201);
});

describe('changing the password', () => {
  test('ends the other sessions, and the old password stops working', async () => {
    const browser = await member();
    const { browser: other } = await signIn(browser.email);
    const before = browser.cookie();
    const response = await browser.post('/session/password', {
      current_password: testPassword,
      new_password: 'a kite of rice paper',
    });
    assert.equal(response.status, 200);
    assert.notEqual(browser.cookie(), before);
    assert.deepEqual([await isSignedIn(browser), await isSignedIn(other)], [true, false]);
    assertApiError((await signIn(browser.email)).response, 'invalid_api_key');
    assert.equal((await signIn(browser.email, 'a kite of rice paper')).response.status, 201);
  });

  test('requires the old one and twelve characters, and no message repeats it', async () => {
    const browser = await member();
    const change = (current_password: string, new_password: string) =>
      browser.post('/session/password', { current_password, new_password });
    assertApiError(await change('a guess at it', 'a kite of rice paper'), 'invalid_api_key');
    const { message } = assertApiError(await change(testPassword, 'too short'), 'invalid_request');
    assert.equal(message, 'new_password must have at least 12 characters');
    const long = assertApiError(await change(testPassword, 'x'.repeat(129)), 'invalid_request');
    assert.equal(long.message, 'new_password must have at most 128 characters');
  });
});

describe('changing the name', () => {
  const readName = async (browser: BrowserSession) =>
    SessionResponse.parse((await browser.get('/session')).body).person.name;

  test('shows at once to the person and the account, and is logged once', async () => {
    const browser = await member();
    const from = await readName(browser);
    const { body } = await browser.post('/session/name', { name: '  Ada  Berg 🎬 ' });
    const response = SessionResponse.parse(body);
    assert.equal(response.person.name, 'Ada  Berg 🎬');
    assert.deepEqual((await browser.get('/session')).body, response);
    const { body: listed } = await service.admin.get(`/admin/accounts/${accountId}/members`);
    const members = ListMembersResponse.parse(listed).items;
    assert.equal(members.find(({ id }) => id === browser.personId)?.name, 'Ada  Berg 🎬');
    await browser.post('/session/name', { name: 'Ada  Berg 🎬' });
    const log = await service.auditLog(browser.personId);
    const entries = log.filter(({ action }) => action === 'person.change_name');
    assert.deepEqual(pluck(entries, 'actor', 'detail'), [
      [browser.email, { from, to: 'Ada  Berg 🎬' }],
    ]);
  });
});
