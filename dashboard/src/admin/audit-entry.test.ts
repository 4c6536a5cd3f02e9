import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';
import { summaryOf, targetName } from './audit-entry.ts';

const entry = (change: Partial<AuditLogEntry>): AuditLogEntry => ({
  id: '1',
  created_at: 1_790_000_000,
  actor: 'sam@example.com',
  action: 'account.create',
  subject: '0197a2f4-0000-7000-8000-000000000000',
  detail: {},
  person: null,
  ...change,
});

test('names people, invites, keys and providers instead of their IDs', () => {
  const dana = { name: 'Dana Ng', email: 'dana@example.com' };
  assert.equal(targetName(entry({ action: 'person.close', person: dana })), 'Dana Ng');
  const member = { action: 'member.remove', person: dana, detail: { role: 'viewer' } };
  assert.equal(summaryOf(entry(member)), 'Dana Ng · Role: viewer');
  const invite = entry({ action: 'administrator.invite', detail: { email: 'ada@example.com' } });
  assert.equal(targetName(invite), 'ada@example.com');
  assert.equal(targetName(entry({ action: 'administrator.invite' })), 'Invite link');
  const key = { action: 'key.create', subject: 'key_0123456789abcdefghijkl' };
  assert.equal(targetName(entry({ ...key, detail: { name: 'Website' } })), 'Website');
  assert.equal(targetName(entry({ action: 'provider.connect', subject: 'fal' })), 'fal');
});

test('a person or key that the service does not name is known by the ID only', () => {
  assert.equal(targetName(entry({ action: 'person.close' })), null);
  assert.equal(targetName(entry({ action: 'key.revoke' })), null);
});

test('sums up simple values without IDs, empty values and the name of the target', () => {
  const detail = {
    role: 'owner',
    person: '0197a2f4-0000-7000-8000-000000000000',
    amount: 12_500,
    reference: null,
    models: ['vidgen-2-5'],
    note: '',
  };
  assert.equal(summaryOf(entry({ detail })), 'Role: owner · Amount: 12,500');
  const key = entry({ action: 'key.create', detail: { name: 'Website', mode: 'live' } });
  assert.equal(summaryOf(key), 'Mode: live');
});
