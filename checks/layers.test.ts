import { testCheck } from './check-fixtures.ts';
import { layerProblems } from './layers.ts';

const empty = '';
const ledger = { 'server/ledger/ledger.ts': empty };

testCheck('layers', layerProblems, [
  {
    rule: 'modules of one layer do not import each other, in any form',
    files: {
      ...ledger,
      'server/tasks/a.ts': "import { reserve } from '../ledger/ledger.ts';",
      'server/tasks/b.ts': "import type { Entry } from '../ledger/ledger.ts';",
      'server/tasks/c.ts': "import '../ledger/ledger.ts';",
      'server/tasks/d.ts': "const ledger = await import('../ledger/ledger.ts');",
      'server/tasks/e.ts': "new Worker(new URL('../ledger/ledger.ts', import.meta.url));",
      'server/tasks/f.ts': "export { reserve } from '../ledger/ledger.ts';",
    },
    problems: ['a', 'b', 'c', 'd', 'e', 'f'].map(
      (name) => `server/tasks/${name}.ts:1: server/tasks and server/ledger are siblings`,
    ),
  },
  {
    rule: 'imports point down',
    files: {
      'server/lifecycle/accept.ts': "import '../ledger/ledger.ts';",
      'server/ledger/ledger.ts': "import '../api/api.ts';",
      'server/api/api.ts': empty,
      'server/process/clock.ts': "import '../database/database.ts';",
      'server/database/database.ts': "import '@vidgen/contract/models.ts';",
      'contract/models.ts': "import '../server/telemetry/log.ts';",
      'server/telemetry/log.ts': "import '../config/config.ts';",
      'server/config/config.ts': empty,
    },
    problems: [
      'server/ledger/ledger.ts:1: server/ledger is below server/api',
      'server/process/clock.ts:1: server/process is below server/database',
      'contract/models.ts:1: contract is below server/telemetry',
    ],
  },
  {
    rule: 'the API and the worker do not import each other',
    files: {
      'server/api/api.ts': "import '../worker/worker.ts';",
      'server/worker/worker.ts': empty,
    },
    problems: ['server/api and server/worker are siblings'],
  },
  {
    rule: 'only test code imports test code',
    files: {
      'proof/kit/service.ts': "import '../main.ts';",
      'server/main.ts': "import '../proof/kit/service.ts';",
      'server/ledger/ledger.ts': "import './ledger.test.ts';",
      'server/ledger/ledger.test.ts': "import '../tasks/task.ts';",
      'server/tasks/task.ts': empty,
    },
    problems: [
      'server/main.ts:1: only test code may import proof/kit/service.ts',
      'server/ledger/ledger.ts:1: only test code may import server/ledger/ledger.test.ts',
    ],
  },
  {
    rule: 'the renderer imports the contract only, and only providers and materials import it',
    files: {
      'renderer/render.ts':
        "import '@vidgen/contract/models.ts';\nimport '../server/process/clock.ts';",
      'contract/models.ts': empty,
      'server/process/clock.ts': empty,
      'server/providers/preview/preview.ts': "import '@vidgen/renderer/render.ts';",
      'server/api/api.ts': "import '@vidgen/renderer/render.ts';",
    },
    problems: [
      'renderer/render.ts:2: renderer imports contract only',
      'server/api/api.ts:1: renderer is for server/providers, server/materials only',
    ],
  },
  {
    rule: 'standalone programs and the project do not import each other',
    files: {
      'setup/run.mjs': "import '../server/process/clock.ts';\nimport './setup.mjs';",
      'setup/setup.mjs': empty,
      'server/process/clock.ts': empty,
      'examples/receiver.mjs': empty,
      'server/telemetry/log.ts': "import '../../examples/receiver.mjs';",
      'cli/vidgen.mjs': "import '../contract/models.ts';",
      'ai-sdk/vidgen-ai-sdk.mjs': "import '../contract/models.ts';",
      'contract/models.ts': empty,
    },
    problems: [
      'setup/run.mjs:1: standalone programs and the project do not import each other',
      'server/telemetry/log.ts:1: standalone programs and the project do not import each other',
      'cli/vidgen.mjs:1: standalone programs and the project do not import each other',
      'ai-sdk/vidgen-ai-sdk.mjs:1: standalone programs and the project do not import each other',
    ],
  },
  {
    rule: 'the dashboard imports the contract only, and nothing imports it',
    files: {
      'dashboard/src/main.tsx':
        "import './tasks/page.tsx';\nimport '../../server/process/clock.ts';",
      'dashboard/src/tasks/page.tsx': "import type { Task } from '@vidgen/contract/task.ts';",
      'contract/task.ts': empty,
      'server/process/clock.ts': empty,
      'server/api/api.ts': "import '../../dashboard/src/tasks/page.tsx';",
    },
    problems: [
      'dashboard/src/main.tsx:2: dashboard imports contract only',
      'server/api/api.ts:1: dashboard is for browsers only',
    ],
  },
  {
    rule: 'every file belongs to a module',
    files: { 'server/payments/payment.ts': empty, 'server/queue/job.ts': empty },
    problems: ['server/payments/payment.ts:1: belongs to no module'],
  },
  {
    rule: 'there is no import cycle',
    files: {
      'server/queue/queue.ts': "import './rescuer.ts';",
      'server/queue/rescuer.ts': "import './job.ts';",
      'server/queue/job.ts': "import type { Queue } from './queue.ts';",
    },
    problems: ['job.ts → server/queue/queue.ts → server/queue/rescuer.ts → server/queue/job.ts'],
  },
]);
