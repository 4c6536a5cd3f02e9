import { testCheck } from './check-fixtures.ts';
import { migrationProblems } from './migrations.ts';

const named = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [`server/database/migrations/${name}`, '']));

const second = (sql: string) => ({
  ...named('0001_a.sql'),
  'server/database/migrations/0002_b.sql': sql,
});

testCheck('migrations', migrationProblems, [
  {
    rule: 'are numbered from one, without a gap',
    files: named('0001_accounts.sql', '0003_tasks.sql'),
    problems: ['0003_tasks.sql:1: is number 0002 in order'],
  },
  {
    rule: 'have a number of their own',
    files: named('0001_accounts.sql', '0001_ledger.sql'),
    problems: ['0001_ledger.sql:1: is number 0002 in order'],
  },
  {
    rule: 'are named after a noun',
    files: named('0001_accounts.sql', '2_tasks.sql', '0003-jobs.sql', 'notes.ts'),
    problems: ['0003-jobs.sql', '2_tasks.sql', 'notes.ts'],
  },
  {
    rule: 'build an index on a table with rows concurrently',
    files: second('create index tasks_by_age on tasks (created_at);'),
    problems: ['0002_b.sql:1: builds an index on tasks'],
  },
  {
    rule: 'may index a table that they create',
    files: second('create table notes (id int); create index notes_by_id on notes (id);'),
    problems: [],
  },
  {
    rule: 'may build an index concurrently',
    files: second('-- concurrently\ncreate index concurrently a on tasks (created_at);'),
    problems: [],
  },
]);
