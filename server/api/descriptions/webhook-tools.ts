/** Tools for receivers of webhooks, and the operator's two looks at the installation. */
import { AccountParams } from '@vidgen/contract/admin-accounts.ts';
import { SummaryResponse, SystemResponse } from '@vidgen/contract/admin-system.ts';
import {
  ReplayFailedRequest,
  ReplayFailedResponse,
  TestWebhookRequest,
  TestWebhookResponse,
} from '@vidgen/contract/webhook-tools.ts';
import { adminErrors, errorExample } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { completionPayload, createdAt } from './samples.ts';

const noAccount = errorExample('not_found', 'There is no account with this id.');

export const sendTestWebhook: RouteDescription = {
  operationId: 'sendTestCall',
  method: 'POST',
  path: '/admin/accounts/:id/deliveries/test',
  summary: 'Call a receiver for a test',
  description:
    'Signed and guarded like a real call, with a completed task that does not exist; its ' +
    '`webhook-id` begins with `msg_test_`. Made once, kept nowhere. 10 a minute an account.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  params: AccountParams,
  body: TestWebhookRequest,
  requestExamples: {
    receiver: { summary: 'A receiver', value: { url: 'https://hooks.example.com/vidgen' } },
  },
  responses: {
    200: {
      description: 'What was sent, and what came back.',
      schema: TestWebhookResponse,
      examples: {
        taken: {
          summary: 'Taken',
          value: {
            id: 'msg_test_3f2a9c1b7d5e8f604a2b9c1d',
            body: JSON.stringify(completionPayload),
            answer_status: 200,
            answer_body: 'ok',
            error: null,
            duration_ms: 84,
          },
        },
        unreached: {
          summary: 'Nobody there',
          value: {
            id: 'msg_test_3f2a9c1b7d5e8f604a2b9c1d',
            body: JSON.stringify(completionPayload),
            answer_status: null,
            answer_body: null,
            error: 'connect',
            duration_ms: 12,
          },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found', 'rate_limited'], {
      invalid_request: errorExample('invalid_request', 'url must start with https://'),
      not_found: noAccount,
    }),
  },
};

export const replayFailed: RouteDescription = {
  operationId: 'replayFailedDeliveries',
  method: 'POST',
  path: '/admin/accounts/:id/deliveries/replay',
  summary: 'Make every failed call again',
  description:
    'All deliveries that were given up and are not older than `since`: same bodies and ids, with ' +
    'the whole schedule of retries. For when a receiver was down.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  params: AccountParams,
  body: ReplayFailedRequest,
  requestExamples: {
    since: { summary: 'Since this morning', value: { since: '2026-01-01T06:00:00Z' } },
  },
  responses: {
    202: {
      description: 'How many.',
      schema: ReplayFailedResponse,
      examples: { some: { summary: 'Twelve', value: { replayed: 12 } } },
    },
    ...adminErrors(['invalid_request', 'not_found'], { not_found: noAccount }),
  },
};

export const getSummary: RouteDescription = {
  operationId: 'getSummary',
  method: 'GET',
  path: '/admin/summary',
  summary: 'What is waiting',
  description: 'Cheap: for a badge that is asked for again and again.',
  tag: 'Admin',
  auth: 'admin',
  responses: {
    200: {
      description: 'Counts of what is not finished.',
      schema: SummaryResponse,
      examples: {
        busy: {
          summary: 'One refund waits for a person',
          value: { refunds_waiting: 1, queued: 4, generating: 9, calls_waiting: 2 },
        },
      },
    },
    ...adminErrors([]),
  },
};

export const getSystem: RouteDescription = {
  operationId: 'getSystem',
  method: 'GET',
  path: '/admin/system',
  summary: 'How the installation is doing',
  description: 'Of the process that answers. No secret is among the settings.',
  tag: 'Admin',
  auth: 'admin',
  responses: {
    200: {
      description: 'Version, engine, queue, storage, settings.',
      schema: SystemResponse,
      examples: {
        small: {
          summary: 'A small installation',
          value: {
            version: '0.1.0',
            node: 'v24.21.0',
            platform: 'linux x64',
            started_at: createdAt,
            role: 'all',
            public_url: 'https://videos.example.com',
            engine: 'embedded',
            database: { version: '18.1', bytes: 31_457_280 },
            memory_bytes: 402_653_184,
            queue: [{ kind: 'poll', due: 1, scheduled: 8, running: 2, oldest_due_seconds: 0.4 }],
            storage: {
              place: '/srv/vidgen/results',
              results: 120,
              bytes: 734_003_200,
              free_bytes: 85_899_345_920,
            },
            settings: [{ name: 'VIDGEN_RESULT_TTL', value: '86400 s' }],
          },
        },
      },
    },
    ...adminErrors([]),
  },
};
