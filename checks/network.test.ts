import { testCheck } from './check-fixtures.ts';
import { networkProblems } from './network.ts';

testCheck('network', networkProblems, [
  {
    rule: 'a module that can connect is for egress, providers and storage',
    files: {
      'server/webhooks/delivery.ts': "import { request } from 'undici';",
      'server/api/api.ts': "import http from 'node:http';",
      'server/tasks/view.ts': "import { isIP, connect } from 'net';",
      'server/lifecycle/collect.ts': "const dns = await import('node:dns/promises');",
      'renderer/render.ts': "import * as tls from 'node:tls';",
      'contract/models.ts': "import 'node:https';",
      'server/api/stripe-events.ts': "const { Stripe } = await import('stripe');",
    },
    problems: [
      'server/webhooks/delivery.ts:1: can reach the network by undici',
      'server/api/api.ts:1: can reach the network by node:http',
      'server/tasks/view.ts:1: can reach the network by net',
      'server/lifecycle/collect.ts:1: can reach the network by node:dns/promises',
      'renderer/render.ts:1: can reach the network by node:tls',
      'contract/models.ts:1: can reach the network by node:https',
      'server/api/stripe-events.ts:1: can reach the network by stripe',
    ],
  },
  {
    rule: 'the requests built into the runtime are for nobody else either',
    files: {
      'server/accounts/account.ts':
        'await fetch(url);\nnew WebSocket(url);\nglobalThis.fetch(url);',
      'server/accounts/people/session.ts': "process.getBuiltinModule('node:http').get(url);",
      'server/api/task-reader.ts': "reader.fetch(id); prefetch(id); say('fetch(');",
    },
    problems: [
      'account.ts:1: makes a request of its own',
      'account.ts:2',
      'account.ts:3',
      'session.ts:1',
    ],
  },
  {
    rule: 'listening, parsing and types reach nothing',
    files: {
      'server/api/api.ts': "import { createServer, type Server } from 'node:http';",
      'server/config/config.ts': "import { isIP } from 'node:net';",
      'server/api/error-response.ts': "import type { IncomingMessage } from 'node:http';",
      'server/telemetry/log.ts': "import { type Dispatcher } from 'undici';",
    },
    problems: [],
  },
  {
    rule: 'egress, providers, storage, top-ups and tests may reach out',
    files: {
      'server/egress/connect.ts': "import { connect } from 'node:net';",
      'server/providers/toolkit/upstream.ts': "import { request } from 'undici';",
      'server/storage/object-store.ts': 'fetch(url);',
      'server/top-ups/stripe.ts': "const { Stripe } = await import('stripe');",
      'proof/journeys/completed.test.ts': 'fetch(url);',
    },
    problems: [],
  },
  {
    rule: 'in the browser, the dashboard asks through its api',
    files: {
      'dashboard/src/api/client.ts': 'fetch(url);',
      'dashboard/src/api/send-file.ts': 'new XMLHttpRequest();',
      'dashboard/src/tasks/tasks-page.tsx': 'fetch(url);',
      'dashboard/src/playground/upload.ts': 'new XMLHttpRequest();',
    },
    problems: [
      'dashboard/src/tasks/tasks-page.tsx:1: makes a request of its own',
      'dashboard/src/playground/upload.ts:1: makes a request of its own',
    ],
  },
]);
