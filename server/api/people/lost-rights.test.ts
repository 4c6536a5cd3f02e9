/**
 * Rights that outlive their reason: a token from before a rotation, links whose maker may no longer
 * make them, and sign-ins of a person who is deactivated meanwhile or was before.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SessionResponse } from '@vidgen/contract/people.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { commitMeanwhile } from '../../../proof/kit/held-transaction.ts';
import {
  followLink,
  type Guest,
  newAdministrator,
  newLink,
  newMember,
  openBrowserSession,
  testPassword,
} from '../../../proof/kit/people.ts';
import { useService } from '../../../proof/kit/service.ts';
import { linkIdentity } from '../../accounts/people/identity.ts';
import type { Queryable } from '../../database/database.ts';
import { createBootstrapLink } from '../../start/bootstrap.ts';
import { identifyPerson, OpenIdError } from './openid-person.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });
const accountId = (await service.account()).id;

/** Sends with this cookie, whatever the browser has by now. */
const withCookie = (cookie: string) => {
  const browser = openBrowserSession(service.url);
  return (method: string, path: string, body?: unknown) =>
    browser.send(method, path, body, { cookie });
};

test('a stolen cookie only reads after a password change, and becomes no session', async () => {
  const owner = await newMember(service, { accountId, role: 'owner' });
  const send = withCookie(owner.cookie()!);
  const passwords = { current_password: owner.password, new_password: 'a kite of rice paper' };
  const path = `/admin/accounts/${accountId}/invitations`;
  const token = await newLink(service.admin, path, { role: 'viewer' });
  assert.equal((await owner.post('/session/password', passwords)).status, 200);
  assert.equal((await send('GET', '/session')).status, 200);
  const password = passwords.new_password;
  assertApiError(await send('POST', '/session/confirm', { password }), 'forbidden');
  assertApiError(await send('POST', '/session/name', { name: 'Thief' }), 'forbidden');
  const joined = await send('POST', '/links/use', { token });
  assertApiError(joined, 'invalid_request');
  assert.equal(joined.headers.get('set-cookie'), null);
  const key = { name: 'Stolen', mode: 'live' };
  assertApiError(await send('POST', `/admin/accounts/${accountId}/keys`, key), 'forbidden');
  assert.equal((await owner.get('/session')).status, 200);
});

describe('an owner who tries email addresses with an invitation', () => {
  const path = `/admin/accounts/${accountId}/invitations`;
  const invite = (owner: Guest) => newLink(owner, path, { role: 'viewer' });
  const tryAddress = (token: string, email: string, name?: string) =>
    openBrowserSession(service.url).post('/links/use', {
      token,
      email,
      name,
      password: 'a wrong guess',
    });

  test('gets one response for known and unknown ones, also when the name is wrong', async () => {
    const owner = await newMember(service, { accountId, role: 'owner' });
    const { id: otherAccount } = await service.account();
    const { email } = await newMember(service, { accountId: otherAccount, role: 'owner' });
    const token = await invite(owner);
    for (const name of [undefined, 'bell \u0007', '\u200b', ' ', 'x'.repeat(201)]) {
      const known = await tryAddress(token, email, name);
      const unknown = await tryAddress(token, 'unknown@example.com', name);
      const code = name === undefined ? 'invalid_api_key' : 'invalid_request';
      const one = assertApiError(known, code);
      const other = assertApiError(unknown, code);
      assert.equal(one.message, other.message, name);
    }
  });

  test('has five tries with a link and fifty links an hour', async () => {
    const owner = await newMember(service, { accountId, role: 'owner' });
    const token = await invite(owner);
    for (let at = 0; at < 5; at++) await tryAddress(token, `unknown-${at}@example.com`);
    assertApiError(await tryAddress(token, 'unknown-6@example.com'), 'not_found');
    await service.db.query(
      `update account_windows set stamps = array_fill(clock_timestamp(), array[50])
        where account_id = $1 and purpose = 'invitations'`,
      [accountId],
    );
    assertApiError(await owner.post(path, { role: 'viewer' }), 'rate_limited');
    await service.db.query(`delete from account_windows where account_id = $1`, [accountId]);
  });
});

describe('a link ends when its maker', () => {
  const assertGone = async (token: string) => {
    const browser = openBrowserSession(service.url);
    assertApiError(await browser.post('/links/look', { token }), 'not_found');
    const newcomer = { name: 'Late', email: 'late@example.com', password: 'a boat of paper' };
    assertApiError(await browser.post('/links/use', { token, ...newcomer }), 'not_found');
  };

  test('is no longer an owner, however that came about', async () => {
    const owner = await newMember(service, { accountId, role: 'owner' });
    const path = `/admin/accounts/${accountId}/invitations`;
    const tokens = [];
    for (const role of ['owner', 'viewer']) {
      tokens.push(await newLink(owner, path, { role }));
    }
    await service.db.query(`update memberships set role = 'developer' where person_id = $1`, [
      owner.personId,
    ]);
    for (const token of tokens) await assertGone(token);
  });

  test('is no longer an administrator', async () => {
    const administrator = await newAdministrator(service);
    const member = await newMember(service, { accountId, role: 'viewer' });
    const invitation = await newLink(administrator, '/admin/invitations');
    const reset = await newLink(administrator, `/admin/people/${member.personId}/password-link`);
    await service.db.query('update people set administrator = false where id = $1', [
      administrator.personId,
    ]);
    await assertGone(invitation);
    await assertGone(reset);
  });

  test('was the first start, and there is an administrator by now', async () => {
    await service.db.query('update people set administrator = false');
    const link = (await createBootstrapLink(service.db, service.url))!;
    const { body } = await service.admin.post('/admin/invitations');
    await followLink(service.url, String(body.link));
    await assertGone(link.split('#')[1]!);
  });
});

async function deactivate(tx: Queryable, { personId }: Guest): Promise<void> {
  await tx.query('update people set closed_at = now() where id = $1', [personId]);
  await tx.query('delete from sessions where person_id = $1', [personId]);
}

describe('a person who is deactivated', () => {
  test('gets no session by a password link that is used meanwhile', async () => {
    const person = await newMember(service, { accountId, role: 'viewer' });
    const token = await newLink(service.admin, `/admin/people/${person.personId}/password-link`);
    const browser = openBrowserSession(service.url);
    const response = await commitMeanwhile(
      service.db,
      (tx) => deactivate(tx, person),
      () => browser.post('/links/use', { token, password: 'a kite of rice paper' }),
    );
    assertApiError(response, 'forbidden', /^Your access was deactivated; ask an administrator/);
    const { rowCount } = await service.db.query('select from sessions where person_id = $1', [
      person.personId,
    ]);
    assert.deepEqual([browser.cookie(), rowCount], [null, 0]);
  });

  test('is not signed in by the OpenID provider meanwhile', async () => {
    const person = await newMember(service, { accountId, role: 'viewer' });
    const { email, personId } = person;
    const issuer = 'https://login.example.com/';
    const identity = { issuer, subject: personId, email };
    await service.db.transaction((tx) => linkIdentity(tx, { ...identity, personId }));
    const settings = { issuer, clientId: 'c', clientSecret: 's', name: 'Example', join: null };
    const claims = { ...identity, isEmailVerified: true, name: null, authenticatedAt: null };
    const signingIn = commitMeanwhile(
      service.db,
      (tx) => deactivate(tx, person),
      () => service.db.transaction((tx) => identifyPerson(tx, { claims, link: null, settings })),
    );
    await assert.rejects(
      signingIn,
      (error) => error instanceof OpenIdError && error.problem === 'deactivated',
    );
  });

  test('returns by an invitation as a new person, without old rights', async () => {
    const old = await service.account();
    const other = await service.account();
    const former = await newMember(service, { accountId: old.id, role: 'owner' });
    await service.admin.post(`/admin/people/${former.personId}/close`);
    const path = `/admin/accounts/${other.id}/invitations`;
    const { body } = await service.admin.post(path, { role: 'viewer' });
    const { email } = former;
    const returned = await followLink(service.url, String(body.link), { email });
    assert.notEqual(returned.personId, former.personId);
    const { accounts } = SessionResponse.parse((await returned.get('/session')).body);
    assert.deepEqual(
      accounts.map(({ id, role }) => [id, role]),
      [[other.id, 'viewer']],
    );
    assertApiError(await former.get('/session'), 'invalid_api_key');
    const again = openBrowserSession(service.url);
    assert.equal((await again.post('/session', { email, password: testPassword })).status, 201);
  });
});
