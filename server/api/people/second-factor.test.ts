/**
 * The second factor over HTTP: enrollment, sign-in in two steps, recovery codes, and that neither a
 * reset of the password, an invitation nor a guess gets past it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ListPeopleResponse, SessionResponse } from '@vidgen/contract/people.ts';
import { SecurityResponse } from '@vidgen/contract/sign-in.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { type AuthenticatorApp, openAuthenticator } from '../../../proof/kit/authenticator.ts';
import {
  type BrowserSession,
  extendBlocks,
  type Guest,
  newAdministrator,
  newLink,
  newMember,
  openBrowserSession,
  testPassword,
} from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });
const accountId = (await service.account()).id;

async function enroll(
  browser: BrowserSession,
): Promise<{ app: AuthenticatorApp; codes: string[] }> {
  const { body: enrollment } = await browser.post('/session/second-factor');
  const app = openAuthenticator(service.db, enrollment.secret as string);
  const enabled = await browser.post('/session/second-factor/enable', { code: app.codeAt(0) });
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body));
  return { app, codes: enabled.body.codes as string[] };
}
const protectedMember = async () => {
  const guest = await newMember(service, { accountId, role: 'owner' });
  return { guest, ...(await enroll(guest)) };
};
async function enterPassword({ email }: Guest, password = testPassword) {
  const browser = openBrowserSession(service.url);
  const response = await browser.post('/session', { email, password });
  return { browser, response };
}
const enterCode = (browser: BrowserSession, code: string) =>
  browser.post('/session/code', { code });
const securityOf = async (browser: BrowserSession) =>
  SecurityResponse.parse((await browser.get('/session/security')).body);
const auditOf = async ({ personId }: Guest) => pluck(await service.auditLog(personId), 'action');
const isSignedIn = async (browser: BrowserSession) =>
  (await browser.get('/session')).status === 200;

describe('enrolling an app', () => {
  test('asks for nothing until a code has proved it, and then at every sign-in', async () => {
    const guest = await newMember(service, { accountId, role: 'viewer' });
    const { body } = await guest.post('/session/second-factor');
    assert.match(body.secret as string, /^[A-Z2-7]{32}$/);
    const url = new URL(body.url as string);
    assert.equal(url.searchParams.get('secret'), body.secret);
    assert.equal((await enterPassword(guest)).response.status, 201);
    const wrong = await guest.post('/session/second-factor/enable', { code: '000000' });
    assertApiError(wrong, 'invalid_api_key');
    assert.equal((await securityOf(guest)).second_factor, null);
    const { codes } = await enroll(guest);
    assert.equal(new Set(codes).size, 10);
    assert(codes.every((code) => /^[a-z2-9]{5}-[a-z2-9]{5}$/.test(code)));
    assert.equal((await securityOf(guest)).second_factor?.recovery_codes_left, 10);
    const { browser, response } = await enterPassword(guest);
    assert.deepEqual([response.status, response.body], [202, { second_step: 'code' }]);
    assert.match(response.headers.getSetCookie()[0]!, /HttpOnly; SameSite=Lax; Secure$/);
    assert.equal(await isSignedIn(browser), false);
    assert.deepEqual(await auditOf(guest), ['person.enable_second_factor', 'person.create']);
  });

  test('stores neither the secret nor a code in readable form', async () => {
    const { guest, codes } = await protectedMember();
    const { rows } = await service.db.query(
      `select f.*, (select array_agg(digest) from recovery_codes r where r.person_id = f.person_id)
         from second_factors f where person_id = $1`,
      [guest.personId],
    );
    const stored = JSON.stringify(rows);
    assert(
      codes.every((code) => !stored.includes(code) && !stored.includes(code.replace('-', ''))),
    );
  });

  test('does not replace an enabled one', async () => {
    const { guest } = await protectedMember();
    assertApiError(await guest.post('/session/second-factor'), 'invalid_request');
  });
});

describe('signing in with a code', () => {
  test('starts a session, and the same code never starts another', async () => {
    const { guest, app } = await protectedMember();
    const code = await app.code();
    const { browser } = await enterPassword(guest);
    const { browser: second } = await enterPassword(guest);
    const response = await enterCode(browser, `${code.slice(0, 3)} ${code.slice(3)}`);
    assert.equal(response.status, 201);
    assert.equal(SessionResponse.parse(response.body).person.email, guest.email);
    assert.equal(await isSignedIn(browser), true);
    assertApiError(await enterCode(second, code), 'invalid_api_key');
    // The step before a used one is used up, too.
    assertApiError(await enterCode(second, app.codeAt(-1)), 'invalid_api_key');
    assert.equal((await enterCode(second, app.codeAt(1))).status, 201);
  });

  test('one of two concurrent uses of a code succeeds', async () => {
    const { guest, app } = await protectedMember();
    const browsers = [await enterPassword(guest), await enterPassword(guest)];
    const code = await app.code();
    const responses = await Promise.all(browsers.map(({ browser }) => enterCode(browser, code)));
    const [first, second] = pluck(responses, 'status').toSorted();
    assert.equal(first, 201);
    // The other may also have to wait, as after a wrong code.
    assert.ok(second === 401 || second === 429, String(second));
  });

  test('needs the cookie of the first step, and the password of then', async () => {
    const { guest, app } = await protectedMember();
    const stranger = openBrowserSession(service.url);
    assertApiError(await enterCode(stranger, await app.code()), 'invalid_api_key');
    const { browser } = await enterPassword(guest);
    const tampered = browser.cookie()!.replace(/=./, (first) => (first === '=A' ? '=B' : '=A'));
    const code = { code: await app.code() };
    const forged = await stranger.send('POST', '/session/code', code, { cookie: tampered });
    assertApiError(forged, 'invalid_api_key');
    const passwords = { current_password: testPassword, new_password: 'a kite of rice paper' };
    assert.equal((await guest.post('/session/password', passwords)).status, 200);
    assertApiError(await enterCode(browser, await app.code()), 'invalid_api_key');
  });

  test('fails for a person who was deactivated between the steps', async () => {
    const { guest, app } = await protectedMember();
    const { browser } = await enterPassword(guest);
    await service.admin.post(`/admin/people/${guest.personId}/close`);
    assertApiError(await enterCode(browser, await app.code()), 'invalid_api_key');
  });

  test('slows down guesses, for the right code too, but not on a known device', async () => {
    const { guest, app } = await protectedMember();
    const { browser } = await enterPassword(guest);
    for (let tries = 0; tries < 5; tries++) {
      assertApiError(await enterCode(browser, `00000${tries}`), 'invalid_api_key');
    }
    await extendBlocks(service.db);
    const code = await app.code();
    assertApiError(await enterCode(browser, code), 'rate_limited');
    // A new password step does not reset it, nor does another browser.
    const { browser: next } = await enterPassword(guest);
    assertApiError(await enterCode(next, code), 'rate_limited');
    const signedIn = await newMember(service, { accountId, role: 'viewer' });
    const [, device] = (
      await signedIn.post('/session', { email: signedIn.email, password: testPassword })
    ).headers.getSetCookie();
    const { app: theirs } = await enroll(signedIn);
    const { browser: thief } = await enterPassword(signedIn);
    for (let tries = 0; tries < 6; tries++) await enterCode(thief, '000000');
    await extendBlocks(service.db);
    const own = openBrowserSession(service.url);
    await own.post('/session', { email: signedIn.email, password: testPassword });
    const cookie = `${own.cookie()}; ${device!.split(';')[0]}`;
    const input = { code: await theirs.code() };
    assert.equal((await own.send('POST', '/session/code', input, { cookie })).status, 201);
  });
});

describe('recovery codes', () => {
  test('sign in once each, in any case, and the use is logged', async () => {
    const { guest, codes } = await protectedMember();
    const { browser } = await enterPassword(guest);
    assert.equal((await enterCode(browser, ` ${codes[0]!.toUpperCase()} `)).status, 201);
    const { browser: second } = await enterPassword(guest);
    assertApiError(await enterCode(second, codes[0]!), 'invalid_api_key');
    assert.equal((await securityOf(browser)).second_factor?.recovery_codes_left, 9);
    assert.deepEqual((await auditOf(guest))[0], 'person.use_recovery_code');
  });

  test('are replaced with a code; the earlier ones stop working', async () => {
    const { guest, app, codes } = await protectedMember();
    const path = '/session/second-factor/recovery-codes';
    assertApiError(await guest.post(path, { code: '000000' }), 'invalid_api_key');
    const { body } = await guest.post(path, { code: await app.code() });
    const { browser } = await enterPassword(guest);
    assertApiError(await enterCode(browser, codes[1]!), 'invalid_api_key');
    const [code] = body.codes as string[];
    assert.equal((await enterCode(browser, code!)).status, 201);
  });

  test('of one person are worth nothing to another', async () => {
    const one = await protectedMember();
    const other = await protectedMember();
    const { browser } = await enterPassword(one.guest);
    assertApiError(await enterCode(browser, other.codes[0]!), 'invalid_api_key');
  });
});

describe('the second factor', () => {
  test('is not bypassed by a link for a new password', async () => {
    const { guest, app } = await protectedMember();
    const token = await newLink(service.admin, `/admin/people/${guest.personId}/password-link`);
    const thief = openBrowserSession(service.url);
    const response = await thief.post('/links/use', { token, password: 'a kite of rice paper' });
    assert.deepEqual([response.status, response.body], [202, { second_step: 'code' }]);
    assert.deepEqual([await isSignedIn(thief), await isSignedIn(guest)], [false, false]);
    assert.equal((await enterCode(thief, await app.code())).status, 201);
    assert.equal((await enterPassword(guest, 'a kite of rice paper')).response.status, 202);
  });

  test('is not bypassed by an invitation, which stays valid until it is', async () => {
    const { guest, app } = await protectedMember();
    const other = (await service.account()).id;
    const path = `/admin/accounts/${other}/invitations`;
    const token = await newLink(service.admin, path, { role: 'viewer' });
    const browser = openBrowserSession(service.url);
    const join = { token, email: guest.email, password: testPassword };
    assert.equal((await browser.post('/links/use', join)).status, 202);
    assert.equal(await isSignedIn(browser), false);
    await enterCode(browser, await app.code());
    const joined = await browser.post('/links/use', { token });
    assert.equal(joined.status, 201);
    assert(SessionResponse.parse(joined.body).accounts.some(({ id }) => id === other));
  });

  test('is turned off with a recent password and a code', async () => {
    const { guest, app, codes } = await protectedMember();
    const disable = (code: string) => guest.post('/session/second-factor/disable', { code });
    assertApiError(await disable('000000'), 'invalid_api_key');
    assert.equal((await disable(await app.code())).status, 204);
    assert.equal((await enterPassword(guest)).response.status, 201);
    assert.equal((await securityOf(guest)).second_factor, null);
    assertApiError(await disable(codes[0]!), 'invalid_api_key');
    assert.deepEqual((await auditOf(guest))[0], 'person.disable_second_factor');
  });

  test('is not guessed in a session, however often its password is confirmed', async () => {
    const { guest, app } = await protectedMember();
    const disable = (code: string) => guest.post('/session/second-factor/disable', { code });
    const confirm = () => guest.post('/session/confirm', { password: testPassword });
    for (let tries = 0; tries < 5; tries++) {
      assertApiError(await disable(`00000${tries}`), 'invalid_api_key');
      assert.equal((await confirm()).status, 200);
    }
    await extendBlocks(service.db);
    assertApiError(await disable(await app.code()), 'rate_limited');
    assert.equal((await confirm()).status, 200);
  });

  test('is reset by an administrator, and logged with their name', async () => {
    const { guest, codes } = await protectedMember();
    const administrator = await newAdministrator(service);
    const path = `/admin/people/${guest.personId}/reset-second-factor`;
    assertApiError(await guest.post(path), 'forbidden');
    const { body: listed } = await administrator.get(`/admin/people?q=${guest.email}`);
    assert.deepEqual(pluck(ListPeopleResponse.parse(listed).items, 'second_factor'), [true]);
    const { status, body } = await administrator.post(path);
    assert.deepEqual([status, body.second_factor], [200, false]);
    assert.equal((await administrator.post(path)).status, 200);
    const { browser, response } = await enterPassword(guest);
    assert.equal(response.status, 201);
    assertApiError(await enterCode(browser, codes[0]!), 'invalid_api_key');
    const log = await service.auditLog(guest.personId);
    const resets = log.filter(({ action }) => action === 'person.reset_second_factor');
    assert.deepEqual(pluck(resets, 'actor'), [administrator.email]);
  });
});
