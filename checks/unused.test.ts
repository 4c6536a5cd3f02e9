import { testCheck } from './check-fixtures.ts';
import { unusedProblems } from './unused.ts';

testCheck('unused files', unusedProblems, [
  {
    rule: 'a file is used by another, or started by a command',
    files: {
      'package.json': '{ "scripts": { "start": "exec node setup/run.mjs start server/main.ts" } }',
      'cli/package.json': '{ "bin": { "vidgen": "vidgen.ts" } }',
      'setup/run.mjs': '',
      'cli/vidgen.ts': '',
      'ai-sdk/package.json': '{ "exports": "./vidgen-ai-sdk.mjs" }',
      'ai-sdk/vidgen-ai-sdk.mjs': '',
      'server/main.ts': "import './queue/queue.ts';",
      'server/queue/queue.ts': "new Worker(new URL('./queue-worker.ts', import.meta.url));",
      'server/queue/queue-worker.ts': '',
      'server/queue/forgotten.ts': '',
      'server/queue/forgotten.test.ts': "import './forgotten.ts';",
      'examples/receiver.mjs': '',
      'checks/style.ts': '',
      'checks/style.test.ts': "import './style.ts';",
      'proof/kit/conformance.ts': '',
      'server/queue/queue.test.ts': "import '../../proof/kit/conformance.ts';",
    },
    problems: ['server/queue/forgotten.ts:1: nothing uses this file'],
  },
  {
    rule: 'a page starts a script, and a script loads another later',
    files: {
      'dashboard/index.html': '<script type="module" src="/src/main.tsx"></script>',
      'dashboard/src/main.tsx': "lazy(() => import('./tasks-page.tsx'));",
      'dashboard/src/tasks-page.tsx': '',
      'dashboard/src/old-page.tsx': '',
    },
    problems: ['dashboard/src/old-page.tsx:1: nothing uses this file'],
  },
]);
