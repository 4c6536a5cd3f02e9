import { testCheck } from './check-fixtures.ts';
import { styleProblems } from './style.ts';

const header = '/** A file. */\n';
const one = (rule: string, code: string, problems: readonly string[]) => ({
  rule,
  files: { 'server/queue/queue.ts': header + code },
  problems,
});

testCheck('tidy', styleProblems, [
  one('no enum', 'export enum Color { red }\nconst enum Size { small }', [
    'queue.ts:2: enum does not run unbuilt',
    'queue.ts:3: enum does not run unbuilt',
  ]),
  one(
    'no any',
    'let a: any;\nb as any;\nlet c: Map<string, any>;\nlet d: any[];\nlet e: X | any;',
    [
      'queue.ts:2: `any`',
      'queue.ts:3: `any`',
      'queue.ts:4: `any`',
      'queue.ts:5: `any`',
      'queue.ts:6: `any`',
    ],
  ),
  one('no console', "console.log('x'); my.console.log('x');", ['queue.ts:2: console']),
  one('no default export', 'export default function run() {}', ['queue.ts:2: a default export']),
  {
    rule: 'a configuration file may have the default export its tool asks for',
    files: { 'dashboard/vite.config.ts': `${header}export default {};` },
    problems: [],
  },
  {
    rule: 'no test is left out',
    files: { 'a.test.ts': "test.only('x');\ntest.skip('y');\ndescribe.todo('z');" },
    problems: ['a.test.ts:1: a test', 'a.test.ts:2: a test', 'a.test.ts:3: a test'],
  },
  one('nothing unfinished', `// ${'TO'}DO: later\n/* ${'FIX'}ME */`, [
    'queue.ts:2: unfinished',
    'queue.ts:3: unfinished',
  ]),
  one(
    'words in strings and comments are free',
    "// any enum\nconst say = 'export default any';",
    [],
  ),
  {
    rule: 'no name that says nothing',
    files: {
      'server/utils/text.ts': header,
      'server/queue/helpers.ts': header,
      'server/queue/types.test.ts': '',
      'server/queue/index.ts': header,
      'sdk/index.ts': header,
    },
    problems: ['"utils"', '"helpers"', '"types"', 'index hides'],
  },
  {
    rule: 'no line over 100 columns and no file over 400 lines, in SQL too',
    files: {
      'server/queue/queue.ts': `${header}// ${'ä'.repeat(97)}\n// ${'ä'.repeat(98)}\n`,
      'server/queue/long.ts': header + '\n'.repeat(399),
      'server/queue/longer.ts': header + '\n'.repeat(400),
      'server/database/migrations/0001_accounts.sql': `-- ${'x'.repeat(98)}\n`,
      'server/database/schema.sql': `-- ${'x'.repeat(98)}\n`,
    },
    problems: [
      'server/queue/queue.ts:3: 101 columns',
      'server/queue/longer.ts:401: 401 lines',
      'server/database/migrations/0001_accounts.sql:1: 101 columns',
    ],
  },
  {
    rule: 'every file opens by saying what it is',
    files: {
      'server/queue/bare.ts': "import './job.ts';\n// Too late.\n",
      'server/queue/empty.ts': '',
      'setup/run.mjs': '#!/usr/bin/env node\n// Runs.\n',
      'server/queue/queue.test.ts': 'test();',
    },
    problems: ['server/queue/bare.ts:1: open with', 'server/queue/empty.ts:1: open with'],
  },
]);
