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
      'server/api/credits/stripe-events.ts': opens,
      'server/worker/worker.ts': opens,
      'server/database/migrate.ts': opens,
      'server/ledger/ledger.test.ts': opens,
      'proof/kit/seed.ts': opens,
    },
    problems: [],
  },
  {
    rule: 'an endpoint acts in a transaction that judges the right of its caller',
    files: {
      'server/api/accounts/keys.ts': opens,
      'server/api/people/invitations.ts': 'request.transaction(async (tx) => {});',
      'server/api/people/sign-in.ts': opens,
    },
    problems: ['server/api/accounts/keys.ts:2: judges no right in its transaction'],
  },
  {
    rule: 'a function with a transaction uses no other connection',
    files: {
      'server/lifecycle/settle.ts':
        'const run = (db) =>\n  db.transaction(async (tx) => {\n    await db.query();\n  });\n',
      'server/ledger/ledger.ts':
        'export async function lock(\n  tx: Transaction,\n  of = f(1),\n): Promise<void> {\n' +
        '  await this.#db.query();\n}\n',
      'server/tasks/store.ts': 'async function run(tx) {\n  await tx.query({ db: 1 });\n}\n',
    },
    problems: [
      'server/lifecycle/settle.ts:3: uses another connection',
      'server/ledger/ledger.ts:5',
    ],
  },
]);
