import { testCheck } from './check-fixtures.ts';
import { migrationProblems } from './migrations.ts';

const named = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [`server/database/migrations/${name}`, '']));

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
]);
