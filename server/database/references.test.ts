/**
 * The database rejects rows that refer to nothing, in a batch too, and keeps what rows refer to.
 * These references have triggers instead of foreign keys (Decision 0004).
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, seedAccount } from '../../proof/kit/seed.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';

const scratch = await openScratchDatabase();
after(() => scratch.close());
const { db } = scratch;
const account = await seedAccount(db, { credits: 100 });
const other = await seedAccount(db, { credits: 100 });
const accepted = await createAcceptTask({ db })(createOf(account));
assert('taskId' in accepted);
const { taskId } = accepted;

const foreignKeyViolation = '23503';
const restrictViolation = '23001';

const taskColumns = 'account_id, key_id, mode, model, generation, credits, deadline_at';
const insertTasks = (keyId: string, mode: string) =>
  `insert into tasks (id, ${taskColumns})
   select 'task_' || repeat(at, 26), account_id, case at when '2' then '${keyId}' else key_id end,
     case at when '2' then '${mode}' else mode end, model, generation, credits, deadline_at
   from tasks, unnest('{1,2,3}'::text[]) at where id = '${taskId}'`;

/** Each is one row of three that refers to nothing. */
const orphans = {
  'a task of a key that does not exist': [insertTasks('key_0', 'live'), 'tasks_key_fkey'],
  'a task of a key of another account': [insertTasks(other.keyId, 'live'), 'tasks_key_fkey'],
  'a task of a key of another mode': [insertTasks(account.keyId, 'test'), 'tasks_key_fkey'],
  'a job of a task that does not exist': [
    `insert into jobs (kind, lane, account_id, task_id)
     select 'expire', 'work', '${account.accountId}', of_task
     from unnest('{${taskId},task_0}'::text[]) of_task`,
    'jobs_task_id_fkey',
  ],
  'an entry of a balance that does not exist': [
    `insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
       available_after, reserved_after, spent_after, suspended_after)
     values ('${account.accountId}', 'live', 99, 'grant', 'outside', 'available', 1, 1, 0, 0, 0),
       (gen_random_uuid(), 'live', 1, 'grant', 'outside', 'available', 1, 1, 0, 0, 0)`,
    'ledger_entries_account_id_mode_fkey',
  ],
  'a balance that differs from its last entry': [
    `update balances set available = available + 1, granted = granted + 1
     where account_id = '${account.accountId}' and mode = 'live'`,
    'balances_stand_in_last_entry',
  ],
  'a new balance with an entry that does not exist': [
    `with added as (insert into accounts (id, name, webhook_secret)
       select gen_random_uuid(), 'New', webhook_secret from accounts limit 1 returning id)
     insert into balances (account_id, mode, last_entry) select id, 'live', 1 from added`,
    'balances_stand_in_last_entry',
  ],
} as const;

for (const [what, [statement, constraint]] of Object.entries(orphans)) {
  test(`rejects ${what}`, async () => {
    await assert.rejects(db.query(statement), { code: foreignKeyViolation, constraint });
  });
}

const changes = {
  'delete a key': `delete from api_keys where id = '${other.keyId}'`,
  'delete a task': `delete from tasks where id = '${taskId}'`,
  'delete a balance': `delete from balances where account_id = '${other.accountId}'`,
  'truncate tasks': 'truncate tasks cascade',
  'rename a key': `update api_keys set id = 'key_' || repeat('0', 22) where id = '${other.keyId}'`,
  'give a key to another account': `update api_keys set account_id = '${account.accountId}'
    where id = '${other.keyId}'`,
  'give a balance to another account': `update balances set mode = 'live'
    where account_id = '${other.accountId}' and mode = 'test'`,
  'give a task to another key': `update tasks set key_id = '${other.keyId}'
    where id = '${taskId}'`,
  'give a job to another task': `update jobs set task_id = 'task_0' where task_id = '${taskId}'`,
};

for (const [what, statement] of Object.entries(changes)) {
  test(`refuses to ${what}`, async () => {
    await assert.rejects(db.query(statement), { code: restrictViolation });
  });
}
