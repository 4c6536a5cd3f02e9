/** What an account used, and the lists as files. */
import { AccountParams, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import {
  ExportLedgerQuery,
  ExportTasksQuery,
  ExportUsageQuery,
  UsageQuery,
  UsageResponse,
  UsageRow,
} from '@vidgen/contract/usage.ts';
import { z } from 'zod';
import { adminErrors, errorExample } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { createdAt, keyId } from './samples.ts';

const day = 86_400;

const noAccount = errorExample('not_found', 'There is no account with this id.');

const usage = {
  since: createdAt - 30 * day,
  until: createdAt,
  rows: [
    {
      day: '2025-12-31',
      model: 'vidgen-2-5',
      resolution: '720p',
      status: 'completed',
      key_id: keyId,
      tasks: 12,
      credits: 480,
    },
  ],
  keys: [{ id: keyId, name: 'Production', last_four: '9xTa' }],
  times: [
    {
      model: 'vidgen-2-5',
      resolution: '720p',
      tasks: 12,
      p50_seconds: 92.4,
      p95_seconds: 171,
    },
  ],
  total: {
    tasks: 12,
    completed: 12,
    failed: 0,
    credits: 480,
    p50_seconds: 92.4,
    p95_seconds: 171,
  },
};

export const getUsage: RouteDescription = {
  operationId: 'getUsage',
  method: 'GET',
  path: '/admin/accounts/:id/usage',
  summary: 'What an account used',
  description: 'The last 30 days unless told otherwise, and at most 92.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: UsageQuery,
  responses: {
    200: {
      description: 'Counts, credits and times.',
      schema: UsageResponse,
      examples: { month: { summary: 'Thirty days', value: usage } },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: errorExample(
        'invalid_request',
        'created_after must be at most 92 days before created_before',
      ),
      not_found: noAccount,
    }),
  },
};

const fileResponses = (row: z.ZodType, codes: readonly ['not_found'] | []) => ({
  200: {
    description: 'The file, as long as it gets: with `format` `json` one array.',
    contentType: 'text/csv',
    alsoJson: z.array(row),
  },
  ...adminErrors(['invalid_request', ...codes], {
    invalid_request: errorExample('invalid_request', 'format must be one of csv, json (got "xls")'),
    not_found: noAccount,
  }),
});

const ofAccount = {
  method: 'GET',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
} as const;

export const exportAccountTasks: RouteDescription = {
  ...ofAccount,
  operationId: 'exportAccountTasks',
  path: '/admin/accounts/:id/tasks/export',
  summary: 'Tasks of an account as a file',
  description: 'Exactly what the same filters list, all of it.',
  query: ExportTasksQuery,
  responses: fileResponses(AdminTask, ['not_found']),
};

export const exportAllTasks: RouteDescription = {
  operationId: 'exportAllTasks',
  method: 'GET',
  path: '/admin/tasks/export',
  summary: 'Tasks of all accounts as a file',
  description: 'Exactly what the same filters list, all of it.',
  tag: 'Admin',
  auth: 'admin',
  query: ExportTasksQuery,
  responses: fileResponses(AdminTask, []),
};

export const exportLedger: RouteDescription = {
  ...ofAccount,
  operationId: 'exportLedger',
  path: '/admin/accounts/:id/ledger/export',
  summary: 'Credit history of an account as a file',
  description: 'Exactly what the same filters list, all of it.',
  query: ExportLedgerQuery,
  responses: fileResponses(LedgerEntry, ['not_found']),
};

export const exportUsage: RouteDescription = {
  ...ofAccount,
  operationId: 'exportUsage',
  path: '/admin/accounts/:id/usage/export',
  summary: 'What an account used, as a file',
  description: 'The rows of the same question.',
  query: ExportUsageQuery,
  responses: fileResponses(UsageRow, ['not_found']),
};
