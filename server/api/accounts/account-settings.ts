/** Settings of an account: its webhook secret and URL, retention, limits and balance alert. */
import { LimitsUse } from '@vidgen/contract/account-controls.ts';
import {
  previousSecretSecondsDefault,
  RotateWebhookSecretRequest,
  SetRetentionRequest,
  SetWebhookUrlRequest,
} from '@vidgen/contract/admin-accounts.ts';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { BalanceAlert } from '@vidgen/contract/notices.ts';
import * as accounts from '../../accounts/account.ts';
import * as retention from '../../accounts/retention.ts';
import { findBalanceAlert } from '../../ledger/balance-alerts.ts';
import { countRunning } from '../../tasks/task-counts.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createWindowName } from '../http/enforce-rate-limit.ts';
import { accountChange, accountResponse, accountSample } from './account-response.ts';

/** Beyond it, the count is not exact. */
const runningCountMax = 100_000;

const limitsUse: LimitsUse = {
  creates_per_minute: { limit: 60, used: 12 },
  running_tasks: { limit: 20, live: 7, test: 0 },
};

const getLimits = endpoint({
  operationId: 'getLimits',
  method: 'GET',
  path: '/admin/accounts/:id/limits',
  summary: 'Get the limits of an account',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('What applies, of the account or the installation, and the use.', LimitsUse, {
      use: ['In use', limitsUse],
    }),
  },
  async handler({ lifecycle: { db }, accountLimits, statusLimiter }, { params }) {
    const account = await accounts.getAccount(db, params.id!);
    const { id: accountId } = account;
    const creates = account.createsPerMinuteMax ?? accountLimits.create;
    const wanted = keyModes.map((mode) => ({ accountId, mode, countMax: runningCountMax }));
    const counts = await countRunning(db, wanted);
    const countIn = (one: string) => counts.find(({ mode }) => mode === one)?.running ?? 0;
    const { remaining } = statusLimiter.peek(createWindowName(accountId), creates);
    const body: LimitsUse = {
      creates_per_minute: { limit: creates, used: creates === 0 ? null : creates - remaining },
      running_tasks: {
        limit: account.runningTasksMax ?? accountLimits.running,
        live: countIn('live'),
        test: countIn('test'),
      },
    };
    return { body };
  },
});

const rotateWebhookSecret = accountChange({
  operationId: 'rotateWebhookSecret',
  path: '/admin/accounts/:id/webhook-secret',
  summary: 'Rotate the webhook secret',
  description: 'For a while webhooks carry two signatures, so that receivers have time to switch.',
  auth: 'member',
  role: 'developer',
  requiresConfirmation: true,
  body: RotateWebhookSecretRequest,
  bodyIsOptional: true,
  requestExamples: {
    day: ['Both signatures for a day', { keep_previous_seconds: 86_400 }],
    leaked: ['The old secret has leaked', { keep_previous_seconds: 0 }],
  },
  responses: {
    200: accountResponse('The account with its new secret.', {
      account: ['With the new secret', accountSample],
    }),
  },
  errors: { invalid_request: 'keep_previous_seconds must be at least 0 (got -1)' },
  async change(tx, { params, body }) {
    const { keep_previous_seconds = previousSecretSecondsDefault } = body;
    const row = await accounts.rotateWebhookSecret(tx, params.id!, {
      keepPreviousSeconds: keep_previous_seconds,
    });
    return { row, audit: ['webhook_secret.rotate', { keep_previous_seconds }] };
  },
});

const setWebhookUrl = accountChange({
  operationId: 'setWebhookUrl',
  path: '/admin/accounts/:id/webhook-url',
  summary: 'Set the account’s webhook endpoint',
  description:
    'Used when a create names no `callback_url`, of any key and of the playground. It is stored ' +
    'with each task when the task is created: a change applies to tasks that are created later.',
  auth: 'member',
  role: 'developer',
  body: SetWebhookUrlRequest,
  requestExamples: {
    endpoint: ['An endpoint', { url: 'https://hooks.example.com/vidgen' }],
    none: ['No endpoint', { url: null }],
  },
  responses: {
    200: accountResponse('The account with its endpoint.', {
      account: ['With an endpoint', accountSample],
    }),
  },
  errors: { invalid_request: 'url must be an https URL' },
  async change(tx, { params, body: { url } }, { lifecycle: { egress } }) {
    const checked = url === null ? null : egress.check(url, 'callback');
    if (checked && !checked.ok) throw invalidRequest(`url ${checked.rule}`);
    const row = await accounts.setWebhookUrl(tx, params.id!, url);
    return { row, audit: ['webhook_url.set', { url }] };
  },
});

const setRetention = accountChange({
  operationId: 'setRetention',
  path: '/admin/accounts/:id/retention',
  summary: 'Set the retention of an account',
  description:
    'Overrides `VIDGEN_RETAIN_…_DAYS` and `VIDGEN_RESULT_TTL` for one account. Fields that are ' +
    'left out do not change. What is too old is deleted within minutes, and cannot be restored.',
  auth: 'admin',
  body: SetRetentionRequest,
  requestExamples: {
    prompts: ['Prompts for 30 days, tasks for a year', { prompts_days: 30, tasks_days: 365 }],
    usual: ['Prompts as the installation says', { prompts_days: null }],
  },
  responses: {
    200: accountResponse('The account with its retention.', {
      account: [
        'With its retention',
        {
          ...accountSample,
          retention: { ...accountSample.retention, prompts_days: 30, tasks_days: 365 },
        },
      ],
    }),
  },
  errors: { invalid_request: 'prompts_days must be at most 3650 (got 5000)' },
  async change(tx, { params, body }) {
    const { prompts_days, deliveries_days, tasks_days, files_days } = body;
    const { id } = await accounts.getAccount(tx, params.id!);
    await retention.setRetention(tx, id, {
      prompts: prompts_days,
      deliveries: deliveries_days,
      tasks: tasks_days,
      files: files_days,
    });
    return { row: await accounts.getAccount(tx, id), audit: ['retention.set', body] };
  },
});

const getBalanceAlert = endpoint({
  operationId: 'getBalanceAlert',
  method: 'GET',
  path: '/admin/accounts/:id/balance-alert',
  summary: 'Get the balance alert',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('The threshold; null if there is none.', BalanceAlert, {
      one: ['Below 500 live credits', { threshold: 500 }],
    }),
  },
  async handler({ lifecycle: { db } }, { params }) {
    const { id } = await accounts.getAccount(db, params.id!);
    return { body: { threshold: await findBalanceAlert(db, id) } };
  },
});

export const accountSettingEndpoints = [
  getLimits,
  rotateWebhookSecret,
  setWebhookUrl,
  setRetention,
  getBalanceAlert,
];
