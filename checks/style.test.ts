import { testCheck } from './check-fixtures.ts';
import { styleProblems } from './style.ts';

const header = '/** A file. */\n';
const one = (rule: string, code: string, problems: readonly string[]) => ({
  rule,
  files: { 'server/queue/queue.ts': header + code },
  problems,
});

testCheck('style', styleProblems, [
  one('nothing is left unfinished', `// ${'TO'}DO: later\n/* ${'FIX'}ME */`, [
    'queue.ts:2: unfinished',
    'queue.ts:3: unfinished',
  ]),
  {
    rule: 'file names say what the file holds',
    files: {
      'server/utils/text.ts': header,
      'server/queue/helpers.ts': header,
      'server/queue/types.test.ts': '',
      'server/queue/index.ts': header,
    },
    problems: ['"utils"', '"helpers"', '"types"', 'no index files'],
  },
  {
    rule: 'lines have at most 100 columns, in comments and SQL too',
    files: {
      'server/queue/queue.ts': `${header}// ${'ä'.repeat(97)}\n// ${'ä'.repeat(98)}\n`,
      'server/database/migrations/0001_accounts.sql': `-- ${'x'.repeat(98)}\n`,
      'server/database/schema.sql': `-- ${'x'.repeat(98)}\n`,
    },
    problems: [
      'server/queue/queue.ts:3: 101 columns',
      'server/database/migrations/0001_accounts.sql:1: 101 columns',
    ],
  },
  {
    rule: 'every file begins with a comment',
    files: {
      'server/queue/bare.ts': "import './job.ts';\n// Too late.\n",
      'server/queue/empty.ts': '',
      'setup/run.mjs': '#!/usr/bin/env node\n// Runs.\n',
      'server/queue/queue.test.ts': 'test();',
    },
    problems: ['server/queue/bare.ts:1: begin with', 'server/queue/empty.ts:1: begin with'],
  },
]);
