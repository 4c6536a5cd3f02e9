/** A person who is deactivated while they sign in gets no session, and is told why. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { type Guest, newMember, openBrowserSession } from '../../../proof/kit/people.ts';
import { startService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { linkIdentity } from '../../accounts/people/identity.ts';
import { identifyPerson, OpenIdError } from './openid-person.ts';

let service: Awaited<ReturnType<typeof startService>>;
let accountId: string;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  accountId = (await service.account()).id;
});
after(() => service.close());

const message = /^Your access was deactivated; ask an administrator for a new invite\.$/;
const password = 'a kite of rice paper';

async function newResetLink() {
  const person = await newMember(service, { accountId, role: 'viewer' });
  const { body } = await service.admin.post(`/admin/people/${person.personId}/password-link`);
  return { person, token: String(body.link).split('#')[1]! };
}
const sessionsOf = async ({ personId }: Guest) =>
  (await service.db.query('select from sessions where person_id = $1', [personId])).rowCount;

/** Runs `work` while the deactivation is not committed, until it waits for it. */
async function duringDeactivation<T>({ personId }: Guest, work: () => Promise<T>): Promise<T> {
  const { db } = service;
  const locked = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const deactivating = db.transaction(async (tx) => {
    await tx.query('update people set closed_at = now() where id = $1', [personId]);
    await tx.query('delete from sessions where person_id = $1', [personId]);
    locked.resolve();
    await commit.promise;
  });
  await locked.promise;
  const working = work();
  await waitUntil(async () => {
    const { rowCount } = await db.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount > 0;
  });
  commit.resolve();
  await deactivating;
  return await working;
}

describe('a password link', () => {
  test('of a deactivated person says so, and is not used', async () => {
    const { person, token } = await newResetLink();
    await service.admin.post(`/admin/people/${person.personId}/close`);
    const browser = openBrowserSession(service.url);
    assertApiError(await browser.post('/links/look', { token }), 'forbidden', message);
    assertApiError(await browser.post('/links/use', { token, password }), 'forbidden', message);
  });

  test('starts no session for a person who is deactivated meanwhile', async () => {
    const { person, token } = await newResetLink();
    const browser = openBrowserSession(service.url);
    const response = await duringDeactivation(person, () =>
      browser.post('/links/use', { token, password }),
    );
    assertApiError(response, 'forbidden', message);
    assert.deepEqual([browser.cookie(), await sessionsOf(person)], [null, 0]);
  });

  test('of a person who is not deactivated says that it was replaced', async () => {
    const { person, token } = await newResetLink();
    await service.admin.post(`/admin/people/${person.personId}/password-link`);
    const response = await openBrowserSession(service.url).post('/links/look', { token });
    assertApiError(response, 'not_found', /has been used, replaced or has expired/);
  });
});

test('a sign-in at the OpenID provider gives no person who is deactivated meanwhile', async () => {
  const person = await newMember(service, { accountId, role: 'viewer' });
  const { email, personId } = person;
  const issuer = 'https://login.example.com/';
  const identity = { issuer, subject: personId, email };
  await service.db.transaction((tx) => linkIdentity(tx, { ...identity, personId }));
  const settings = { issuer, clientId: 'c', clientSecret: 's', name: 'Example', join: null };
  const claims = { ...identity, isEmailVerified: true, name: null, authenticatedAt: null };
  const signingIn = duringDeactivation(person, () =>
    service.db.transaction((tx) => identifyPerson(tx, { claims, link: null, settings })),
  );
  await assert.rejects(
    signingIn,
    (error) => error instanceof OpenIdError && error.problem === 'deactivated',
  );
});
