/** People: one per email address, closed instead of deleted, never without an administrator. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { seedPerson } from '../../../proof/kit/people.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../../proof/kit/scratch-database.ts';
import type { Database } from '../../database/database.ts';
import {
  deactivatePerson,
  findByEmail,
  findLogin,
  getPerson,
  hasAdministrator,
  isPasswordUnchanged,
  setPasswordHash,
} from './person.ts';
import { searchPeople } from './search-people.ts';

let scratch: ScratchDatabase;
let db: Database;
before(async () => {
  scratch = await openScratchDatabase();
  db = scratch.db;
});
after(() => scratch.close());

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

test('finds no person for an unknown or malformed id', async () => {
  for (const id of ['no id', '00000000-0000-4000-8000-000000000000']) {
    await assert.rejects(getPerson(db, id), hasErrorCode('not_found'));
  }
});

test('a closed person is listed, and cannot sign in', async () => {
  const { id, email } = await seedPerson(db);
  const closed = await close(id);
  assert(closed.closedAt);
  assert.deepEqual((await close(id)).closedAt, closed.closedAt);
  assert.equal(await findByEmail(db, email), null);
  const { items } = await searchPeople(db, { limit: 100 });
  assert.deepEqual(items.find((person) => person.id === id)?.closedAt, closed.closedAt);
});

test('pages list every person once, newest first', async () => {
  const all = (await searchPeople(db, { limit: 100 })).items.map(({ id }) => id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await searchPeople(db, { limit: 2, ...(cursor ? { cursor } : {}) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, all);
});

test('the last administrator can be closed only with the admin token', async () => {
  assert.equal(await hasAdministrator(db), false);
  const [first, second] = [
    await seedPerson(db, { administrator: true }),
    await seedPerson(db, { administrator: true }),
  ];
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
