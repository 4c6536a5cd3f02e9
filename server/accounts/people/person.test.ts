/**
 * People: one per email address, closed instead of deleted, never without an administrator. Roles
 * include each other, and an account that has owners keeps one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import { seedPerson } from '../../../proof/kit/people.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../../proof/kit/seed.ts';
import { addMember, findRole, listMembers, removeMember } from './membership.ts';
import {
  deactivatePerson,
  findByEmail,
  findLogin,
  hasAdministrator,
  isPasswordUnchanged,
  setPasswordHash,
} from './person.ts';

const { db } = await useDatabase();

const hasErrorCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code;
const close = (personId: string, keepLastAdmin = true) =>
  db.transaction((tx) => deactivatePerson(tx, personId, { keepLastAdmin }));

test('an email address belongs to one person, however it is written', async () => {
  const { id, email } = await seedPerson(db, { email: ' Ada.Berg@Example.com' });
  assert.equal(email, 'Ada.Berg@Example.com');
  const same = ['ada.berg@example.com', 'ADA.BERG@EXAMPLE.COM ', 'ａda.berg@example.com'];
  for (const variant of same) {
    assert.equal((await findByEmail(db, variant))?.id, id, variant);
    await assert.rejects(seedPerson(db, { email: variant }), hasErrorCode('invalid_request'));
  }
  assert.equal(await findByEmail(db, 'ada@example.com'), null);
});

test('rejects an email address that is too long once normalized', async () => {
  const email = `${'\ufdfa'.repeat(40)}@example.com`;
  await assert.rejects(seedPerson(db, { email }), hasErrorCode('invalid_request'));
});

test('when two people take an email address at once, one gets it', async () => {
  const email = 'race@example.com';
  const outcomes = await Promise.allSettled([seedPerson(db, { email }), seedPerson(db, { email })]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('the last administrator can be closed only with the admin token', async () => {
  assert.equal(await hasAdministrator(db), false);
  const first = await seedPerson(db, { administrator: true });
  const second = await seedPerson(db, { administrator: true });
  const outcomes = await Promise.allSettled([close(first.id), close(second.id)]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(await hasAdministrator(db), true);
  await close(first.id, false);
  await close(second.id, false);
  assert.equal(await hasAdministrator(db), false);
});

test('a verified password is checked again in the transaction that relies on it', async () => {
  const { id: personId, email } = await seedPerson(db);
  const issuer = undefined;
  const passwordHash = (await findLogin(db, email, { issuer }))!.passwordHash!;
  const isUnchanged = () =>
    db.transaction((tx) => isPasswordUnchanged(tx, { personId, passwordHash, issuer }));
  assert.equal(await isUnchanged(), true);
  await db.transaction((tx) =>
    setPasswordHash(tx, { personId, passwordHash: passwordHash.replace(/.$/, 'x') }),
  );
  assert.equal(await isUnchanged(), false);
});

async function accountWith(...roles: readonly AccountRole[]) {
  const { accountId } = await seedAccount(db);
  const people: string[] = [];
  for (const role of roles) {
    const { id: personId } = await seedPerson(db);
    await db.transaction((tx) => addMember(tx, { accountId, personId, role }));
    people.push(personId);
  }
  return { accountId, people };
}

const remove = (accountId: string, personId: string) =>
  db.transaction((tx) => removeMember(tx, { accountId, personId, keepLastOwner: true }));

test('an invitation raises a role and never lowers it', async () => {
  const { accountId, people } = await accountWith('developer');
  const personId = people[0]!;
  for (const [given, expected] of [
    ['viewer', 'developer'],
    ['owner', 'owner'],
    ['developer', 'owner'],
  ] as const) {
    await db.transaction((tx) => addMember(tx, { accountId, personId, role: given }));
    assert.equal(await findRole(db, { accountId, personId }), expected);
  }
});

test('an owner who can no longer sign in does not count as an owner', async () => {
  const { accountId, people } = await accountWith('owner', 'owner');
  const [first, second] = people as [string, string];
  await close(first, false);
  await assert.rejects(remove(accountId, second), hasErrorCode('invalid_request'));
  assert.deepEqual(
    (await listMembers(db, accountId)).map(({ id }) => id),
    [second],
  );
});

test('when two owners remove each other at once, one stays', async () => {
  const { accountId, people } = await accountWith('owner', 'owner');
  const outcomes = await Promise.allSettled(people.map((personId) => remove(accountId, personId)));
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal((await listMembers(db, accountId)).length, 1);
});
