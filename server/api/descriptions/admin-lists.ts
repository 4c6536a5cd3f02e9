/** The operator's lists: what an account did, owes and was told, and what operators did. */

import {
  AccountParams,
  ListKeysQuery,
  ListKeysResponse,
  ListLedgerQuery,
  ListLedgerResponse,
} from '@vidgen/contract/admin-accounts.ts';
import { ListAuditLogQuery, ListAuditLogResponse } from '@vidgen/contract/admin-audit.ts';
import { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import {
  ListAccountTasksQuery,
  ListAccountTasksResponse,
  ListDeliveriesQuery,
  ListDeliveriesResponse,
} from '@vidgen/contract/admin-tasks.ts';
import type { z } from 'zod';
import { adminErrors, errorExample } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { accountId, adminTask, apiKey, createdAt, delivery, ledgerEntry } from './samples.ts';

const listResponses = (
  list: { schema: z.ZodType; item: object },
  codes: readonly ['not_found'] | [],
) => ({
  200: {
    description: 'A page, newest first.',
    schema: list.schema,
    examples: {
      page: { summary: 'The last page', value: { items: [list.item], next_cursor: null } },
    },
  },
  ...adminErrors(['invalid_request', ...codes], {
    invalid_request: errorExample('invalid_request', 'limit must be at most 100 (got "500")'),
    not_found: errorExample('not_found', 'There is no account with this id.'),
  }),
});

export const listAccountTasks: RouteDescription = {
  operationId: 'listAccountTasks',
  method: 'GET',
  path: '/admin/accounts/:id/tasks',
  summary: 'Tasks of an account',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: ListAccountTasksQuery,
  responses: listResponses({ schema: ListAccountTasksResponse, item: adminTask }, ['not_found']),
};

export const listAllTasks: RouteDescription = {
  operationId: 'listAllTasks',
  method: 'GET',
  path: '/admin/tasks',
  summary: 'Tasks of all accounts',
  description: 'With `refund=waiting`: the queue of refunds that wait for a person.',
  tag: 'Admin',
  auth: 'admin',
  query: ListAccountTasksQuery,
  responses: listResponses({ schema: ListAccountTasksResponse, item: adminTask }, []),
};

export const listLedger: RouteDescription = {
  operationId: 'listLedger',
  method: 'GET',
  path: '/admin/accounts/:id/ledger',
  summary: 'Credit history of an account',
  description: 'Every entry is one transfer, with the balances it left behind.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: ListLedgerQuery,
  responses: listResponses({ schema: ListLedgerResponse, item: ledgerEntry }, ['not_found']),
};

export const listKeys: RouteDescription = {
  operationId: 'listKeys',
  method: 'GET',
  path: '/admin/accounts/:id/keys',
  summary: 'Keys of an account',
  description: 'Revoked and expired ones too; the keys themselves are never shown again.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: ListKeysQuery,
  responses: listResponses({ schema: ListKeysResponse, item: apiKey }, ['not_found']),
};

export const listDeliveries: RouteDescription = {
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/admin/accounts/:id/deliveries',
  summary: 'Webhook deliveries of an account',
  description: 'Each with every call made for it.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: ListDeliveriesQuery,
  responses: listResponses({ schema: ListDeliveriesResponse, item: delivery }, ['not_found']),
};

const providerHealth = {
  name: 'ark',
  models: ['vidgen-2-5', 'vidgen-2-0'],
  breaker: 'closed',
  seconds_until_trial: 0,
  open_tasks: 3,
  concurrency: 10,
  starts: { accepted: 128, refused: 2, throttled: 5, unknown: 1 },
  status_troubles: 4,
  start_ms: { p50: 420, p95: 1800 },
  last_trouble: { detail: 'HTTP 500 InternalServiceError', at: createdAt },
};

export const listProviders: RouteDescription = {
  operationId: 'listProviders',
  method: 'GET',
  path: '/admin/providers',
  summary: 'How the generators are doing',
  description: 'As the process that answers has seen them; `open_tasks` counts those of all.',
  tag: 'Admin',
  auth: 'admin',
  responses: listResponses({ schema: ListProvidersResponse, item: providerHealth }, []),
};

const auditEntry = {
  id: '317',
  created_at: createdAt,
  actor: 'admin token',
  action: 'credits.grant',
  subject: accountId,
  detail: { amount: 1000, mode: 'live', note: 'Invoice 2026-017' },
};

export const listAuditLog: RouteDescription = {
  operationId: 'listAuditLog',
  method: 'GET',
  path: '/admin/audit-log',
  summary: 'What operators did',
  tag: 'Admin',
  auth: 'admin',
  query: ListAuditLogQuery,
  responses: listResponses({ schema: ListAuditLogResponse, item: auditEntry }, []),
};
