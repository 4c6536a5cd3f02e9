/** One-time links over HTTP: what they grant, once, and the error of one that does not work. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LinkResponse, SessionResponse } from '@vidgen/contract/people.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  followLink,
  newLink,
  newMember,
  openBrowserSession,
  testPassword,
} from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { type HttpResponse, useService } from '../../../proof/kit/service.ts';
import { createAccount } from '../../accounts/account.ts';
import { createBootstrapLink } from '../../start/bootstrap.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });
const accountId = (await service.account()).id;

const tokenOf = (link: string) => link.split('#')[1]!;
const invite = (role: string) =>
  newLink(service.admin, `/admin/accounts/${accountId}/invitations`, { role });
const rolesIn = ({ body }: HttpResponse) =>
  SessionResponse.parse(body).accounts.map(({ id, role }) => [id, role]);
const newcomer = { name: 'Ada Berg', password: testPassword };

describe('the first administrator', () => {
  test('uses the link of the first run and owns the demo account; no link is left', async () => {
    const demo = await service.db.transaction((tx) =>
      createAccount(tx, { name: 'Demo', demo: true }),
    );
    const old = (await createBootstrapLink(service.db, service.url))!;
    const link = (await createBootstrapLink(service.db, service.url))!;
    assert.match(link, new RegExp(`^${service.url}/dashboard/join#[\\w-]{43}$`));
    const browser = openBrowserSession(service.url);
    assertApiError(await browser.post('/links/look', { token: tokenOf(old) }), 'not_found');
    const inspected = await browser.post('/links/look', { token: tokenOf(link) });
    const { purpose, account_name, email } = LinkResponse.parse(inspected.body);
    assert.deepEqual([purpose, account_name, email], ['administrator', null, null]);
    const first = await followLink(service.url, link);
    const session = await first.get('/session');
    assert.equal(SessionResponse.parse(session.body).person.administrator, true);
    assert.deepEqual(rolesIn(session), [[demo.id, 'owner']]);
    assert.equal(await createBootstrapLink(service.db, service.url), null);
    assert.equal((await first.get(`/admin/accounts/${accountId}`)).status, 200);
  });

  test('the second, invited with the admin token, owns no account', async () => {
    const { body } = await service.admin.post('/admin/invitations');
    const second = await followLink(service.url, body.link as string);
    assert.deepEqual(rolesIn(await second.get('/session')), []);
    assert.equal((await second.get('/admin/people')).status, 200);
  });
});

describe('an invitation to an account', () => {
  test('makes the signed-in person a member, under a new token', async () => {
    const other = (await service.account()).id;
    const browser = await newMember(service, { accountId: other, role: 'viewer' });
    const before = browser.cookie();
    const response = await browser.post('/links/use', { token: await invite('developer') });
    assert.equal(response.status, 201);
    assert.deepEqual(
      rolesIn(response).toSorted(),
      [
        [accountId, 'developer'],
        [other, 'viewer'],
      ].toSorted(),
    );
    assert.notEqual(browser.cookie(), before);
    assert.equal((await browser.get('/session')).status, 200);
  });

  test('requires the password of an existing person', async () => {
    const token = await invite('owner');
    const { email } = await newMember(service, { accountId, role: 'viewer' });
    const browser = openBrowserSession(service.url);
    const use = (password: string) => browser.post('/links/use', { token, email, password });
    assertApiError(await use('someone else’s idea'), 'invalid_api_key');
    const response = await use(testPassword);
    assert.equal(response.status, 201);
    assert.deepEqual(rolesIn(response), [[accountId, 'owner']]);
  });

  test('names a missing field and stays valid', async () => {
    const token = await invite('viewer');
    const browser = openBrowserSession(service.url);
    const use = (body: object) => browser.post('/links/use', { token, ...body });
    const email = 'missing@example.com';
    const errorMessage = async (body: object) =>
      assertApiError(await use(body), 'invalid_request').message;
    assert.equal(await errorMessage({}), 'email is required');
    assertApiError(await use({ email, password: testPassword }), 'invalid_api_key');
    assert.equal(await errorMessage({ email, name: 'Ada' }), 'password is required');
    assert.match(
      await errorMessage({ email: 'nobody', ...newcomer }),
      /^email must be an email address/,
    );
    assert.equal((await use({ email, ...newcomer })).status, 201);
  });

  test('is in the audit log with inviter and invitee, without its token', async () => {
    const token = await invite('viewer');
    const email = 'logged@example.com';
    await openBrowserSession(service.url).post('/links/use', { token, ...newcomer, email });
    const log = await service.auditLog(accountId);
    assert.deepEqual(pluck(log.slice(0, 2), 'actor', 'action'), [
      [email, 'member.join'],
      ['admin token', 'member.invite'],
    ]);
    const { rows } = await service.db.query('select * from audit_log');
    for (const secret of [token, testPassword, 'argon2id']) {
      assert(!JSON.stringify(rows).includes(secret));
    }
  });
});

describe('a link for a new password', async () => {
  const person = await newMember(service, { accountId, role: 'viewer' });
  const makeLink = () => newLink(service.admin, `/admin/people/${person.personId}/password-link`);

  test('shows whose it is, replaces the previous one, and ends all sessions', async () => {
    const old = await makeLink();
    const token = await makeLink();
    const browser = openBrowserSession(service.url);
    assertApiError(await browser.post('/links/look', { token: old }), 'not_found');
    const { purpose, email } = LinkResponse.parse(
      (await browser.post('/links/look', { token })).body,
    );
    assert.deepEqual([purpose, email], ['password', person.email]);
    const response = await browser.post('/links/use', { token, password: 'a kite of rice paper' });
    assert.equal(response.status, 201);
    assert.equal((await person.get('/session')).status, 401);
    assert.equal((await browser.get('/session')).status, 200);
    const signIn = (password: string) =>
      openBrowserSession(service.url).post('/session', { email: person.email, password });
    assertApiError(await signIn(testPassword), 'invalid_api_key');
    assert.equal((await signIn('a kite of rice paper')).status, 201);
  });

  test('sets the password of its own person, not of the signed-in one', async () => {
    const bystander = await newMember(service, { accountId, role: 'viewer' });
    const response = await bystander.post('/links/use', {
      token: await makeLink(),
      password: 'a hat of newspaper',
    });
    assert.equal(SessionResponse.parse(response.body).person.id, person.personId);
  });
});

test('a link that does not work always gets the same error', async () => {
  const browser = openBrowserSession(service.url);
  for (const token of ['x', 'pX3kQ9vT0mB7nR5wZc4hG8sK2mQ9xT1vB7nR5wZc4hG', '\0', 'ä'.repeat(200)]) {
    assertApiError(await browser.post('/links/look', { token }), 'not_found');
    assertApiError(await browser.post('/links/use', { token }), 'not_found');
  }
  assertApiError(await browser.post('/links/look', { token: '' }), 'invalid_request');
  const { message } = assertApiError(
    await browser.post('/links/look', { token: 'x'.repeat(201) }),
    'invalid_request',
  );
  assert(!message.includes('xxx'));
});
