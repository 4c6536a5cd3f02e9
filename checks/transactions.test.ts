import { testCheck } from './check-fixtures.ts';
import { transactionProblems } from './transactions.ts';

const opens = 'export const run = (db) =>\n  db.transaction(async (tx) => {});\n';

testCheck('transactions', transactionProblems, [
  {
    rule: 'a module joins its caller’s transaction and opens none',
    files: {
      'server/ledger/ledger.ts': opens,
      'server/egress/egress.ts': 'db.transaction<void>(f)',
    },
    problems: ['server/ledger/ledger.ts:2: opens a transaction', 'server/egress/egress.ts:1'],
  },
  {
    rule: 'the lifecycle, the doors, the database itself and tests may open one',
    files: {
      'server/lifecycle/settle.ts': opens,
      'server/api/admin-accounts.ts': opens,
      'server/worker/worker.ts': opens,
      'server/database/migrate.ts': opens,
      'server/ledger/ledger.test.ts': opens,
      'proof/kit/seed.ts': opens,
    },
    problems: [],
  },
]);
