/** The audit log is append-only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { sqlState } from '../database/database.ts';
import { listAuditEntries, recordAudit } from './audit-log.ts';

const { db } = await useDatabase();

const record = (subject: string) =>
  db.transaction((tx) => recordAudit(tx, { actor: 'operator', action: 'account.close', subject }));

test('entries cannot be changed or deleted', async () => {
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
