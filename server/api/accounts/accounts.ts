/** Accounts: list, create, read, change, suspend, resume, close and erase them. */
import { ChangeAccountRequest, SuspendAccountRequest } from '@vidgen/contract/account-controls.ts';
import {
  CreateAccountRequest,
  EraseAccountRequest,
  ListAccountsQuery,
  ListAccountsResponse,
  type ListedAccount,
} from '@vidgen/contract/admin-accounts.ts';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import * as accounts from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { type AccountFilter, listAccounts } from '../../accounts/search-accounts.ts';
import * as suspension from '../../accounts/suspension.ts';
import type { Queryable } from '../../database/database.ts';
import { setBalanceAlert } from '../../ledger/balance-alerts.ts';
import { closeBalances, createBalances, lockBalances } from '../../ledger/ledger.ts';
import * as erasure from '../../lifecycle/upkeep/erase-account.ts';
import { resolveNotice } from '../../messages/notice.ts';
import { createdAtOf } from '../../tasks/task-id.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { unixSeconds } from '../http/timestamps.ts';
import {
  accountChange,
  accountResponse,
  accountSample,
  accountsWithBalances,
  accountWithBalances,
} from './account-response.ts';

const { webhook_secret: _, ...sampleWithoutSecret } = accountSample;
const minuteLater = accountSample.created_at + 60;
const overdue = 'Invoice 2026-017 is overdue';

const createAccount = accountChange({
  operationId: 'createAccount',
  path: '/admin/accounts',
  summary: 'Create an account',
  description: 'It starts with no credits in either mode.',
  auth: 'admin',
  body: CreateAccountRequest,
  requestExamples: { studio: ['An account', { name: 'Paper Boat Studio' }] },
  responses: {
    201: accountResponse('The account, with the secret that signs its webhooks.', {
      account: ['An account', accountSample],
    }),
  },
  errors: { invalid_request: 'name is required' },
  async change(tx, { body: { name } }) {
    const row = await accounts.createAccount(tx, { name });
    await createBalances(tx, row.id);
    return { row, audit: ['account.create', { name }] };
  },
});

const columns: readonly CsvColumn<ListedAccount>[] = [
  ...fieldColumns('id', 'name', 'created_at', 'suspended_at', 'closed_at', 'last_task_at'),
  ['live_available', ({ balance }) => balance.live.available],
  ['live_reserved', ({ balance }) => balance.live.reserved],
  ['live_suspended', ({ balance }) => balance.live.suspended],
  ['test_available', ({ balance }) => balance.test.available],
];

const listAccountsEndpoint = endpoint({
  operationId: 'listAccounts',
  method: 'GET',
  path: '/admin/accounts',
  summary: 'List accounts',
  description: 'Newest first by default. Webhook secrets are left out.',
  auth: 'admin',
  query: ListAccountsQuery,
  responses: {
    200: fileListDescription(ListAccountsResponse, {
      ...sampleWithoutSecret,
      last_task_at: accountSample.created_at,
    }),
  },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { q, sort, status, balance_max, has_tasks } = request.query;
    const hasTasks = has_tasks && has_tasks === 'true';
    const filter = { search: q, sort, status, availableMax: balance_max, hasTasks };
    return await listResponse(services, request, {
      columns,
      contentName: 'accounts',
      list: (db, limit) => listAccounts(db, { ...filter, limit }),
      read: (page) => readListedAccounts(services.lifecycle.db, { ...filter, ...page }),
    });
  },
});

async function readListedAccounts(db: Queryable, filter: AccountFilter) {
  const { items: rows, nextCursor } = await listAccounts(db, filter);
  const views = await accountsWithBalances(db, rows, { isAdmin: true });
  const items = views.map(({ webhook_secret: _, ...view }, at) => {
    const { lastTaskId } = rows[at]!;
    const last_task_at = lastTaskId === null ? null : unixSeconds(createdAtOf(lastTaskId));
    return { ...view, last_task_at };
  });
  return { items, nextCursor };
}

const getAccount = endpoint({
  operationId: 'getAccount',
  method: 'GET',
  path: '/admin/accounts/:id',
  summary: 'Get an account',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: accountResponse('The account and its balances.', {
      account: ['An account', accountSample],
    }),
  },
  async handler({ lifecycle: { db } }, { params, role, isAdmin }) {
    const row = await accounts.getAccount(db, params.id!);
    const includeSecret = role !== 'viewer';
    return { body: await accountWithBalances(db, row, { includeSecret, isAdmin }) };
  },
});

const suspendAccount = accountChange({
  operationId: 'suspendAccount',
  path: '/admin/accounts/:id/suspend',
  summary: 'Suspend an account',
  description:
    'Requests with its keys return 401 with the reason, everywhere within 5 seconds. Members can ' +
    'sign in and read, but create nothing. Tasks in progress end and are settled, webhooks are ' +
    'sent, and signed URLs of results work until they expire. Suspending again replaces the note.',
  auth: 'admin',
  body: SuspendAccountRequest,
  bodyIsOptional: true,
  requestExamples: { unpaid: ['An unpaid invoice', { note: overdue }] },
  responses: {
    200: accountResponse('The suspended account.', {
      suspended: [
        'Suspended',
        { ...accountSample, suspended_at: minuteLater, suspension_note: overdue },
      ],
    }),
  },
  errors: { invalid_request: 'note must not be empty' },
  async change(tx, { params, body: { note = null } }) {
    const { id: accountId } = await accounts.getAccount(tx, params.id!);
    // Creates decide under these locks: one that has not been accepted sees the suspension.
    const balanceKeys = keyModes.map((mode) => ({ accountId, mode }));
    await lockBalances(tx, balanceKeys);
    const row = await suspension.suspendAccount(tx, { accountId, note });
    return { row, audit: ['account.suspend', { note }] };
  },
});

const resumeAccount = accountChange({
  operationId: 'resumeAccount',
  path: '/admin/accounts/:id/resume',
  summary: 'Resume a suspended account',
  description: 'Its keys work again, everywhere within 5 seconds.',
  auth: 'admin',
  responses: { 200: accountResponse('The account.', { resumed: ['Resumed', accountSample] }) },
  async change(tx, { params }) {
    return { row: await suspension.resumeAccount(tx, params.id!), audit: ['account.resume'] };
  },
});

const changeAccount = accountChange({
  operationId: 'changeAccount',
  method: 'PATCH',
  path: '/admin/accounts/:id',
  summary: 'Change an account',
  description:
    'Fields that are left out do not change. Owners can change `name` and `low_balance`, ' +
    'administrators all fields. Limits override `VIDGEN_RATE_CREATE_ACCOUNT` and ' +
    '`VIDGEN_RUNNING_TASKS_ACCOUNT`; a create above a limit returns 429, and the limit of each ' +
    'key still applies. One notice is sent each time the available live credits fall below ' +
    '`low_balance`, within half a minute. The next is sent after the balance has risen to it ' +
    'again. Prices apply to creates within 5 seconds; estimates and the list of models show them.',
  auth: 'member',
  role: 'owner',
  body: ChangeAccountRequest,
  requestExamples: {
    some: ['Limits and an alert', { creates_per_minute: 60, running_max: 20, low_balance: 500 }],
    name: ['A new name', { name: 'Paper Boat Films' }],
    prices: [
      'Prices of one customer',
      { price_percent: 80, prices: { 'vidgen-2-5': { '720p': { perSecond: 6 } } } },
    ],
  },
  responses: {
    200: accountResponse('The account as it is now.', { account: ['Changed', accountSample] }),
  },
  errors: { invalid_request: 'running_max must be at least 0 (got -1)' },
  async change(tx, { params, body, actor, isAdmin, requireConfirmation }, services) {
    const { name, low_balance, ...administrated } = body;
    if (!isAdmin && Object.keys(administrated).length > 0) {
      const fields = Object.keys(administrated).join(', ');
      const rule = `Owners can change name and low_balance only (got ${fields})`;
      throw new ApiError('forbidden', `${rule}; ask an administrator.`);
    }
    const { id: accountId } = await accounts.getAccount(tx, params.id!);
    const { creates_per_minute, running_max: running_tasks } = administrated;
    const { price_percent, prices } = administrated;
    const entry = { actor, subject: accountId };
    if (name !== undefined) {
      const { renamed, previousName } = await accounts.renameAccount(tx, { accountId, name });
      const detail = { name: renamed.name, previous_name: previousName };
      await recordAudit(tx, { ...entry, action: 'account.rename', detail });
    }
    if (creates_per_minute !== undefined || running_tasks !== undefined) {
      await accounts.setAccountLimits(tx, accountId, {
        createsPerMinuteMax: creates_per_minute,
        runningTasksMax: running_tasks,
      });
      const detail = { creates_per_minute, running_tasks };
      await recordAudit(tx, { ...entry, action: 'limits.set', detail });
    }
    if (price_percent !== undefined || prices !== undefined) {
      await requireConfirmation();
      const { prices: before } = await accounts.getAccount(tx, accountId);
      requireKnownModels(prices ?? {}, services);
      await accounts.setAccountPrices(tx, accountId, { percent: price_percent, rates: prices });
      const detail = { price_percent, prices, before };
      await recordAudit(tx, { ...entry, action: 'prices.set', detail });
    }
    if (low_balance !== undefined) {
      await setBalanceAlert(tx, { accountId, threshold: low_balance });
      if (low_balance === null) {
        await resolveNotice(tx, { kind: 'low_balance', accountId, subject: '' });
      }
      const detail = { threshold: low_balance };
      await recordAudit(tx, { ...entry, action: 'balance_alert.set', detail });
    }
    return { row: await accounts.getAccount(tx, accountId) };
  },
});

/** A rate that no model has would never apply. */
export function requireKnownModels(
  rates: Readonly<Record<string, object>>,
  { lifecycle: { catalog } }: ApiServices,
): void {
  for (const [name, ofModel] of Object.entries(rates)) {
    const model = catalog.find(name);
    if (!model) throw invalidRequest(`prices.${name} is not a model; remove it`);
    const unknown = Object.keys(ofModel).find((resolution) => !(resolution in model.rates));
    if (unknown === undefined) continue;
    const offered = Object.keys(model.rates).join(', ');
    const rule = `is not a resolution of ${name}; use ${offered}`;
    throw invalidRequest(`prices.${name}.${unknown} ${rule}`);
  }
}

export const closeAccount = accountChange({
  operationId: 'closeAccount',
  path: '/admin/accounts/:id/close',
  summary: 'Close an account',
  description: 'Requests with its keys return 401, and no credits can be added to it.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: accountResponse('The closed account.', {
      closed: ['Closed', { ...accountSample, closed_at: minuteLater }],
    }),
  },
  async change(tx, { params }) {
    const { id: accountId } = await accounts.getAccount(tx, params.id!);
    // Locked before the account, as creates in the playground lock them.
    await closeBalances(tx, accountId);
    return { row: await accounts.closeAccount(tx, accountId), audit: ['account.close'] };
  },
});

const eraseAccount = accountChange({
  operationId: 'eraseAccount',
  path: '/admin/accounts/:id/erase',
  summary: 'Erase an account',
  description:
    'Closes the account and deletes its members, keys, webhook endpoint, tasks, deliveries and ' +
    'files. People without another account are deleted, too. The ledger and usage stay, without ' +
    'a name. Deleting goes on in the background until `erased_at` is set, also after a restart. ' +
    'Rejected while tasks are in progress or refunds are to be resolved. Cannot be undone.',
  auth: 'admin',
  requiresConfirmation: true,
  body: EraseAccountRequest,
  requestExamples: { named: ['With its name', { name: accountSample.name }] },
  responses: {
    202: accountResponse('The account is being erased.', {
      erasing: [
        'Being erased',
        {
          ...accountSample,
          name: 'Erased account',
          closed_at: minuteLater,
          erasure_started_at: minuteLater,
        },
      ],
    }),
  },
  errors: {
    invalid_request:
      'The account has tasks in progress (3); cancel them, or wait until they have ended.',
  },
  async change(tx, { params, body: { name }, actor }) {
    const row = await accounts.getAccount(tx, params.id!);
    if (row.erasureStartedAt !== null) return { row };
    if (row.name !== name.trim()) throw invalidRequest('name must be the name of the account');
    await erasure.eraseAccount(tx, { accountId: row.id, actor });
    return { row: await accounts.getAccount(tx, row.id) };
  },
});

export const accountEndpoints = [
  createAccount,
  listAccountsEndpoint,
  getAccount,
  suspendAccount,
  resumeAccount,
  changeAccount,
  closeAccount,
  eraseAccount,
];
