/** A link works once, for a limited time and for one purpose; its token is not stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiError } from '@vidgen/contract/api-error.ts';
import { seedPerson } from '../../../proof/kit/people.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../../proof/kit/seed.ts';
import { closeAccount } from '../account.ts';
import { accessDeactivated, consumeLink, createLink, getValidLink } from './one-time-link.ts';
import { deactivatePerson } from './person.ts';

const { db } = await useDatabase();

type LinkOptions = Parameters<typeof createLink>[1];
const create = (link: LinkOptions) => db.transaction((tx) => createLink(tx, link));
const use = (token: string) => db.transaction((tx) => consumeLink(tx, token));
const isNotFound = (error: unknown) => (error as ApiError).code === 'not_found';
const createdBy = 'admin token';

async function invitation() {
  const { accountId } = await seedAccount(db);
  return await create({ purpose: 'member', accountId, role: 'developer', createdBy });
}

test('returns its purpose and is stored only by digest', async () => {
  const link = await invitation();
  assert.equal(Buffer.from(link.token, 'base64url').length, 32);
  const { token: _, ...shown } = link;
  assert.deepEqual(await getValidLink(db, link.token), shown);
  assert.deepEqual([shown.purpose, shown.role, shown.accountName], ['member', 'developer', 'Test']);
  const { rows } = await db.query('select * from links where id = $1', [link.id]);
  assert(!JSON.stringify(rows).includes(link.token));
});

test('works once, also when two people use it at the same time', async () => {
  const { token } = await invitation();
  const outcomes = await Promise.allSettled([use(token), use(token), use(token)]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(use(token), isNotFound);
  await assert.rejects(getValidLink(db, token), isNotFound);
});

describe('does not work', () => {
  const assertInvalid = async (token: string) => {
    await assert.rejects(getValidLink(db, token), isNotFound);
    await assert.rejects(use(token), isNotFound);
  };

  test('when it has expired: after seven days, a password link after one', async () => {
    const { id: personId } = await seedPerson(db);
    const links = [
      { link: await invitation(), days: 7 },
      { link: await create({ purpose: 'administrator', createdBy }), days: 7 },
      { link: await create({ purpose: 'password', personId, createdBy }), days: 1 },
    ];
    for (const { link, days } of links) {
      assert.equal(link.expiresAt.getTime() - link.createdAt.getTime(), days * 86_400_000);
      await db.query(`update links set expires_at = now() where id = $1`, [link.id]);
      await assertInvalid(link.token);
    }
  });

  test('when its account or its person is closed, which its person is told', async () => {
    const link = await invitation();
    await db.transaction((tx) => closeAccount(tx, link.accountId!));
    await assertInvalid(link.token);
    const { id: personId } = await seedPerson(db);
    const password = await create({ purpose: 'password', personId, createdBy });
    await db.transaction((tx) => deactivatePerson(tx, personId, { keepLastAdmin: false }));
    const isTold = { code: 'forbidden', message: accessDeactivated };
    await assert.rejects(getValidLink(db, password.token), isTold);
    await assert.rejects(use(password.token), isTold);
  });
});

test('the database rejects links with an inconsistent purpose', async () => {
  const { id: personId } = await seedPerson(db);
  const { accountId } = await seedAccount(db);
  const invalid: LinkOptions[] = [
    { purpose: 'member', role: 'viewer', createdBy },
    { purpose: 'member', accountId, createdBy },
    { purpose: 'administrator', accountId, role: 'viewer', createdBy },
    { purpose: 'password', createdBy },
    { purpose: 'administrator', personId, createdBy },
  ];
  for (const link of invalid) await assert.rejects(create(link), { code: '23514' });
});
