/** The audit log is complete and append-only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { sqlState } from '../database/database.ts';
import { listAuditEntries, recordAudit } from './audit-log.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const record = (subject: string, detail?: Record<string, unknown>) =>
  scratch.db.transaction((tx) =>
    recordAudit(tx, {
      actor: 'operator',
      action: 'account.close',
      subject,
      ...(detail ? { detail } : {}),
    }),
  );

test('lists entries newest first, for one subject or for all', async () => {
  const { db } = scratch;
  await record('first', { note: 'with "quotes" and 🎬' });
  await record('second');
  await record('first');

  const all = await listAuditEntries(db, { limit: 10 });
  assert.deepEqual(
    all.items.map(({ subject }) => subject),
    ['first', 'second', 'first'],
  );
  assert.equal(all.nextCursor, null);
  const { id, at, ...rest } = all.items.at(-1)!;
  assert.equal(typeof id, 'string');
  assert.ok(at instanceof Date);
  assert.deepEqual(rest, {
    actor: 'operator',
    action: 'account.close',
    subject: 'first',
    detail: { note: 'with "quotes" and 🎬' },
  });

  const one = await listAuditEntries(db, { subject: 'first', limit: 1 });
  assert.equal(one.items.length, 1);
  const next = await listAuditEntries(db, { subject: 'first', limit: 1, cursor: one.nextCursor! });
  assert.deepEqual(next.items, [all.items.at(-1)]);
  assert.equal(next.nextCursor, null);
});

test('sorts ids as numbers, not as text', async () => {
  const { db } = scratch;
  for (let at = 0; at < 12; at += 1) await record('many');
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAuditEntries(db, { subject: 'many', limit: 5, cursor });
    ids.push(...page.items.map(({ id }) => Number(id)));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.equal(ids.length, 12);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => b - a),
  );
});

test('entries cannot be changed or deleted', async () => {
  const { db } = scratch;
  await record('kept');
  for (const statement of [
    `update audit_log set actor = 'nobody'`,
    `delete from audit_log`,
    `truncate audit_log`,
  ]) {
    await assert.rejects(db.query(statement), (error) => sqlState(error) === '23001');
  }
  assert.equal((await listAuditEntries(db, { subject: 'kept', limit: 5 })).items.length, 1);
});

test('an action whose transaction fails is not recorded', async () => {
  const { db } = scratch;
  const failing = db.transaction(async (tx) => {
    await recordAudit(tx, { actor: 'operator', action: 'credits.grant', subject: 'undone' });
    throw new Error('changed my mind');
  });
  await assert.rejects(failing, /changed my mind/);
  assert.deepEqual((await listAuditEntries(db, { subject: 'undone', limit: 5 })).items, []);
});
