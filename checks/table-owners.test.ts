import { testCheck } from './check-fixtures.ts';
import { tableOwnerProblems } from './table-owners.ts';

testCheck('table owners', tableOwnerProblems, [
  {
    rule: 'only its owner names a table, however the statement is written',
    files: {
      'server/queue/queue.ts': `db.query(\`select url\n  from deliveries where id = \${id}\`);`,
      'server/tasks/task.ts': "db.query('select 1 from tasks t, jobs as j')",
      'server/ledger/ledger.ts': "db.query('UPDATE only tasks set a = 1');",
      'server/api/a.ts': `db.query(\`insert into \${log} select 1 from x join "people" p\`);`,
      'server/api/b.ts': "db.query('delete from jobs j using balances b')",
      'server/start/bootstrap.ts': "db.query('truncate sessions')",
    },
    problems: [
      'server/queue/queue.ts:2: names deliveries, which belongs to server/webhooks',
      'server/tasks/task.ts:1: names jobs, which belongs to server/queue',
      'server/ledger/ledger.ts:1: names tasks, which belongs to server/tasks',
      'server/api/a.ts:1: names people, which belongs to server/accounts',
      'server/api/b.ts:1: names jobs, which belongs to server/queue',
      'server/api/b.ts:1: names balances, which belongs to server/ledger',
      'server/start/bootstrap.ts:1: names sessions, which belongs to server/accounts',
    ],
  },
  {
    rule: 'its owner, the database module, the invariants and tests may name it; so may comments',
    files: {
      'server/tasks/task.ts': "db.query('select 1 from tasks join attempts on true')",
      'server/database/migrate.ts': "db.query('select 1 from tasks')",
      'server/lifecycle/checks/invariants.ts': "db.query('select 1 from tasks')",
      'server/ledger/ledger.test.ts': "db.query('select 1 from tasks')",
      'proof/kit/seed.ts': "db.query('insert into tasks default values')",
      'server/api/tasks.ts':
        "// Comes from tasks.\nimport { list } from './jobs.ts';\nfor (const task of tasks) {}",
    },
    problems: [],
  },
  {
    rule: 'every table has an owner',
    files: {
      'server/database/schema.sql':
        'create table tasks (\n);\n\ncreate unlogged table ghosts (\n);',
    },
    problems: ['server/database/schema.sql:4: ghosts has no owner'],
  },
]);
