/** A link works once, for a while, for what it was made for; its token is stored nowhere. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { seedPerson } from '../../proof/kit/people.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../proof/kit/seed.ts';
import type { Database } from '../database/database.ts';
import type { Refusal } from '../refusal.ts';
import { closeAccount } from './account.ts';
import {
  getLink,
  listInvitations,
  makeLink,
  revokeInvitation,
  revokeLinksBy,
  revokeLinksMadeBy,
  revokePasswordLinks,
  useUp,
} from './link.ts';
import { closePerson } from './person.ts';

let scratch: ScratchDatabase;
let db: Database;
before(async () => {
  scratch = await openScratchDatabase();
  db = scratch.db;
});
after(() => scratch.close());

type Wanted = Parameters<typeof makeLink>[1];
const make = (link: Wanted) => db.transaction((tx) => makeLink(tx, link));
const use = (token: string) => db.transaction((tx) => useUp(tx, token));
const gone = (error: unknown) => (error as Refusal).code === 'not_found';
const madeBy = 'admin token';

async function invitation(changes: Partial<Wanted> = {}) {
  const { accountId } = await seedAccount(db);
  return await make({ purpose: 'member', accountId, role: 'developer', madeBy, ...changes });
}

test('tells what it is for, and is in the database by its digest alone', async () => {
  const link = await invitation();
  assert.equal(Buffer.from(link.token, 'base64url').length, 32);
  const { token: _, ...shown } = link;
  assert.deepEqual(await getLink(db, link.token), shown);
  assert.deepEqual([shown.purpose, shown.role, shown.accountName], ['member', 'developer', 'Test']);
  const { rows } = await db.query('select * from links where id = $1', [link.id]);
  assert(!JSON.stringify(rows).includes(link.token));
});

test('works once, also when two use it at the same moment', async () => {
  const { token } = await invitation();
  const outcomes = await Promise.allSettled([use(token), use(token), use(token)]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(use(token), gone);
  await assert.rejects(getLink(db, token), gone);
});

test('is not used up by a transaction that failed', async () => {
  const { token } = await invitation();
  const failed = db.transaction(async (tx) => {
    await useUp(tx, token);
    throw new Error('the person could not be made');
  });
  await assert.rejects(failed, /could not be made/);
  await use(token);
});

describe('does not work', () => {
  const dead = async (token: string) => {
    await assert.rejects(getLink(db, token), gone);
    await assert.rejects(use(token), gone);
  };

  test('when it is none', async () => {
    for (const token of ['', 'x', randomUUID()]) await dead(token);
  });

  test('when its time is over: seven days, for a password one', async () => {
    const { id: personId } = await seedPerson(db);
    const links = [
      { link: await invitation(), days: 7 },
      { link: await make({ purpose: 'administrator', madeBy }), days: 7 },
      { link: await make({ purpose: 'password', personId, madeBy }), days: 1 },
    ];
    for (const { link, days } of links) {
      assert.equal(link.expiresAt.getTime() - link.createdAt.getTime(), days * 86_400_000);
      await db.query(`update links set expires_at = now() where id = $1`, [link.id]);
      await dead(link.token);
    }
  });

  test('when its account or its person is closed', async () => {
    const link = await invitation();
    await db.transaction((tx) => closeAccount(tx, link.accountId!));
    await dead(link.token);
    const { id: personId } = await seedPerson(db);
    const password = await make({ purpose: 'password', personId, madeBy });
    await db.transaction((tx) => closePerson(tx, personId, { leavesOne: false }));
    await dead(password.token);
  });

  test('when it was withdrawn, which only its own account can', async () => {
    const [link, other] = [await invitation(), await invitation()];
    const withdraw = (accountId: string, linkId: string) =>
      db.transaction((tx) => revokeInvitation(tx, { accountId, linkId }));
    await assert.rejects(withdraw(other.accountId!, link.id), gone);
    await assert.rejects(withdraw(link.accountId!, 'not an id'), gone);
    assert.deepEqual(
      (await listInvitations(db, link.accountId!)).map(({ id }) => id),
      [link.id],
    );
    await withdraw(link.accountId!, link.id);
    assert.deepEqual(await listInvitations(db, link.accountId!), []);
    await assert.rejects(withdraw(link.accountId!, link.id), gone);
    await dead(link.token);
    await getLink(db, other.token);
  });

  test('when whoever made it may no longer invite: to one account, or anywhere', async () => {
    const { id: madeByPerson, email } = await seedPerson(db);
    const made = { madeBy: email, madeByPerson };
    const [first, second, another] = [
      await invitation(made),
      await invitation(made),
      await invitation(),
    ];
    const revoke = (accountId?: string) =>
      db.transaction((tx) =>
        revokeLinksBy(tx, { personId: madeByPerson, ...(accountId ? { accountId } : {}) }),
      );
    await revoke(first.accountId!);
    await dead(first.token);
    await getLink(db, second.token);
    await revoke();
    await dead(second.token);
    await getLink(db, another.token);
  });

  test('when a newer one replaced it: for a password, and at a start', async () => {
    const { id: personId } = await seedPerson(db);
    const password = await make({ purpose: 'password', personId, madeBy });
    await db.transaction((tx) => revokePasswordLinks(tx, personId));
    await dead(password.token);
    const start = await make({ purpose: 'administrator', madeBy: 'first start' });
    const asked = await make({ purpose: 'administrator', madeBy });
    await db.transaction((tx) => revokeLinksMadeBy(tx, 'first start'));
    await dead(start.token);
    await getLink(db, asked.token);
  });
});

test('the database refuses links that mean nothing', async () => {
  const { id: personId } = await seedPerson(db);
  const { accountId } = await seedAccount(db);
  const wrong: Wanted[] = [
    { purpose: 'member', role: 'viewer', madeBy },
    { purpose: 'member', accountId, madeBy },
    { purpose: 'administrator', accountId, role: 'viewer', madeBy },
    { purpose: 'password', madeBy },
    { purpose: 'administrator', personId, madeBy },
  ];
  for (const link of wrong) await assert.rejects(make(link), { code: '23514' });
});
