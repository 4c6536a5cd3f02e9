import { budgetProblems } from './budget.ts';
import { testCheck } from './check-fixtures.ts';

testCheck('budget', budgetProblems, [
  {
    rule: 'no workspace has more lines than its limit',
    files: {
      'contract/models.ts': 'line\n'.repeat(100_000),
      'renderer/render.ts': 'line\n',
      'setup/run.mjs': 'line\n'.repeat(100_000),
      'setup/data.json': 'line\n'.repeat(100_000),
    },
    problems: ['100000 lines in contract', '100000 lines in rest'],
  },
]);
