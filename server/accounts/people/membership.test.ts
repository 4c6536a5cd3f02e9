/** Roles include each other, and an account that has owners keeps one. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type AccountRole, accountRoles } from '@vidgen/contract/people.ts';
import { seedPerson } from '../../../proof/kit/people.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../../proof/kit/seed.ts';
import type { Database } from '../../database/database.ts';
import {
  addMember,
  changeRole,
  findRole,
  hasRole,
  listMembers,
  listPersonAccounts,
  removeMember,
} from './membership.ts';
import { deactivatePerson } from './person.ts';

let scratch: ScratchDatabase;
let db: Database;
before(async () => {
  scratch = await openScratchDatabase();
  db = scratch.db;
});
after(() => scratch.close());

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

const hasErrorCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code;
const change = (accountId: string, personId: string, role: AccountRole, keepLastOwner = true) =>
  db.transaction((tx) => changeRole(tx, { accountId, personId, role, keepLastOwner }));
const remove = (accountId: string, personId: string, keepLastOwner = true) =>
  db.transaction((tx) => removeMember(tx, { accountId, personId, keepLastOwner }));

test('each role can do what the roles below it can, and no more', () => {
  const table = accountRoles.map((role) => accountRoles.map((minimum) => hasRole(role, minimum)));
  assert.deepEqual(table, [
    [true, true, true],
    [false, true, true],
    [false, false, true],
  ]);
});

test('a person has a role only in their own accounts', async () => {
  const { accountId, people } = await accountWith('developer');
  const other = await accountWith('owner');
  const personId = people[0]!;
  assert.equal(await findRole(db, { accountId, personId }), 'developer');
  assert.equal(await findRole(db, { accountId: other.accountId, personId }), null);
  assert.equal(await findRole(db, { accountId: 'no id', personId }), null);
  assert.deepEqual(
    (await listPersonAccounts(db, personId)).map(({ id, role }) => [id, role]),
    [[accountId, 'developer']],
  );
});

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

test('the last owner stays unless an administrator overrides it', async () => {
  const { accountId, people } = await accountWith('owner', 'viewer');
  const [owner, viewer] = people as [string, string];
  await assert.rejects(remove(accountId, owner), hasErrorCode('invalid_request'));
  await assert.rejects(change(accountId, owner, 'viewer'), hasErrorCode('invalid_request'));
  assert.equal((await change(accountId, owner, 'owner')).member.role, 'owner');
  await change(accountId, viewer, 'owner');
  await change(accountId, owner, 'viewer');
  await remove(accountId, owner);
  await remove(accountId, viewer, false);
  assert.deepEqual(await listMembers(db, accountId), []);
});

test('an owner who can no longer sign in does not count as an owner', async () => {
  const { accountId, people } = await accountWith('owner', 'owner');
  const [first, second] = people as [string, string];
  await db.transaction((tx) => deactivatePerson(tx, first, { keepLastAdmin: false }));
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

test('a person who is not a member is not_found', async () => {
  const { accountId } = await accountWith('owner');
  const { id: stranger } = await seedPerson(db);
  for (const personId of [stranger, randomUUID(), 'no id']) {
    await assert.rejects(change(accountId, personId, 'viewer'), hasErrorCode('not_found'));
    await assert.rejects(remove(accountId, personId), hasErrorCode('not_found'));
  }
});
