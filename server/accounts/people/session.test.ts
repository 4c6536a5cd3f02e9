/** Sessions end on time by the database clock, and their tokens are not stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seedPerson } from '../../../proof/kit/people.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import {
  createSession,
  digestToken,
  findSessionByToken,
  listSessions,
  recordSessionUse,
  rotateSession,
  sweepSessions,
} from './session.ts';

const { db } = await useDatabase();

async function signIn(personId?: string) {
  const id = personId ?? (await seedPerson(db)).id;
  const request = { personId: id, address: '192.0.2.1', agent: 'A browser' };
  const session = await db.transaction((tx) => createSession(tx, request));
  return { ...session, personId: id };
}

const shift = (sessionId: string, column: string, interval: string) =>
  db.query(`update sessions set ${column} = ${column} - $2::interval where id = $1`, [
    sessionId,
    interval,
  ]);

const isSignedIn = async (token: string) => (await findSessionByToken(db, token)) !== null;

test('a token has 256 bits, and only its SHA-256 is stored', async () => {
  const { token, id } = await signIn();
  assert.equal(Buffer.from(token, 'base64url').length, 32);
  const { rows } = await db.query<Record<string, unknown>>('select * from sessions where id = $1', [
    id,
  ]);
  assert.equal(rows[0]!.digest, digestToken(token));
  assert(!JSON.stringify(rows).includes(token));
});

describe('ends', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['last_used_at', '6 days 23 hours', true],
    ['last_used_at', '7 days 1 second', false],
    ['expires_at', '29 days 23 hours', true],
    ['expires_at', '30 days', false],
  ];
  for (const [column, interval, isActive] of cases) {
    test(`${isActive ? 'not yet ' : ''}when ${column} is ${interval} earlier`, async () => {
      const { token, id, personId } = await signIn();
      await shift(id, column, interval);
      assert.equal(await isSignedIn(token), isActive);
      assert.equal((await listSessions(db, personId)).length, isActive ? 1 : 0);
      await db.transaction((tx) => sweepSessions(tx));
      const { rows } = await db.query('select 1 from sessions where id = $1', [id]);
      assert.equal(rows.length, isActive ? 1 : 0);
    });
  }
});

test('writes its last use at most once a minute', async () => {
  const { token, id, personId } = await signIn();
  assert.equal((await findSessionByToken(db, token))?.isStale, false);
  await shift(id, 'last_used_at', '61 seconds');
  assert.equal((await findSessionByToken(db, token))?.isStale, true);
  await recordSessionUse(db, id);
  assert.equal((await findSessionByToken(db, token))?.isStale, false);
  const used = async () => (await listSessions(db, personId))[0]!.lastUsedAt.getTime();
  const before = await used();
  await recordSessionUse(db, id);
  assert.equal(await used(), before);
});

test('after a rotation the old token works only briefly, for requests in flight', async () => {
  const { token, id } = await signIn();
  await shift(id, 'confirmed_at', '1 hour');
  const rotated = await db.transaction((tx) => rotateSession(tx, token, { confirms: true }));
  assert.notEqual(rotated.token, token);
  assert.deepEqual([rotated.id, rotated.isConfirmed], [id, true]);
  assert.equal((await findSessionByToken(db, rotated.token))?.session.isConfirmed, true);
  const old = (await findSessionByToken(db, token))!.session;
  assert.deepEqual([old.isConfirmed, old.isCurrent], [false, false]);
  await assert.rejects(
    db.transaction((tx) => rotateSession(tx, token, { confirms: true })),
    /expired/,
  );
  await shift(id, 'previous_until', '31 seconds');
  assert.equal(await isSignedIn(token), false);
  assert.equal(await isSignedIn(rotated.token), true);
});

test('accepts any user agent text', async () => {
  const { id: personId } = await seedPerson(db);
  const agent = `\u0000${'x'.repeat(1000)}`;
  await db.transaction((tx) => createSession(tx, { personId, address: 'a'.repeat(500), agent }));
  const [listed] = await listSessions(db, personId);
  assert.equal(listed!.agent, 'x'.repeat(400));
});
