/** The operator's hand on accounts: open, look, grant, mint and revoke keys, rotate, close. */
import {
  Account,
  AccountParams,
  CreateAccountRequest,
  CreateApiKeyRequest,
  CreatedApiKey,
  GrantCreditsRequest,
  KeyParams,
  LedgerEntry,
  ListAccountsQuery,
  ListAccountsResponse,
  RotateWebhookSecretRequest,
} from '@vidgen/contract/admin-accounts.ts';
import { adminErrors, bodyErrors, errorExample } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { account, apiKey, ledgerEntry } from './samples.ts';

const noAccount = errorExample('not_found', 'There is no account with this id.');
const invalidRequest = (message: string) => errorExample('invalid_request', message);

export const createAccount: RouteDescription = {
  operationId: 'createAccount',
  method: 'POST',
  path: '/admin/accounts',
  summary: 'Open an account',
  description: 'It starts with no credits in either mode.',
  tag: 'Admin',
  auth: 'admin',
  body: CreateAccountRequest,
  requestExamples: { studio: { summary: 'An account', value: { name: 'Paper Boat Studio' } } },
  responses: {
    201: {
      description: 'The account, with the secret its webhook calls are signed with.',
      schema: Account,
      examples: { account: { summary: 'An account', value: account } },
    },
    ...adminErrors(['invalid_request'], { invalid_request: invalidRequest('name is required') }),
  },
};

const { webhook_secret: _, ...listedAccount } = account;

export const listAccounts: RouteDescription = {
  operationId: 'listAccounts',
  method: 'GET',
  path: '/admin/accounts',
  summary: 'List accounts',
  description: 'Newest first. Webhook secrets are left out.',
  tag: 'Admin',
  auth: 'admin',
  query: ListAccountsQuery,
  responses: {
    200: {
      description: 'A page of accounts.',
      schema: ListAccountsResponse,
      examples: {
        page: { summary: 'The last page', value: { items: [listedAccount], next_cursor: null } },
      },
    },
    ...adminErrors(['invalid_request'], {
      invalid_request: invalidRequest('limit must be at most 100 (got "500")'),
    }),
  },
};

export const getAccount: RouteDescription = {
  operationId: 'getAccount',
  method: 'GET',
  path: '/admin/accounts/:id',
  summary: 'Look at an account',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  responses: {
    200: {
      description: 'The account and its balances.',
      schema: Account,
      examples: { account: { summary: 'An account', value: account } },
    },
    ...adminErrors(['not_found'], { not_found: noAccount }),
  },
};

export const grantCredits: RouteDescription = {
  operationId: 'grantCredits',
  method: 'POST',
  path: '/admin/accounts/:id/credits',
  summary: 'Grant credits',
  description:
    'A `reference` is booked once: repeating it answers with the entry it was booked as.',
  tag: 'Admin',
  auth: 'admin',
  requiresConfirmation: true,
  params: AccountParams,
  body: GrantCreditsRequest,
  requestExamples: {
    invoice: {
      summary: 'A paid invoice',
      value: { amount: 1000, mode: 'live', note: 'Invoice 2026-017', reference: 'inv_2026_017' },
    },
  },
  responses: {
    201: {
      description: 'The entry in the ledger.',
      schema: LedgerEntry,
      examples: { grant: { summary: 'A grant', value: ledgerEntry } },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: invalidRequest('amount must be at least 1 (got 0)'),
      not_found: noAccount,
    }),
  },
};

export const createApiKey: RouteDescription = {
  operationId: 'mintKey',
  method: 'POST',
  path: '/admin/accounts/:id/keys',
  summary: 'Mint a key',
  description: 'The key itself is in this answer and nowhere else, ever.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  requiresConfirmation: true,
  params: AccountParams,
  body: CreateApiKeyRequest,
  requestExamples: {
    production: { summary: 'A live key', value: { name: 'Production', mode: 'live' } },
    reader: {
      summary: 'A key that only reads, for a while',
      value: {
        name: 'Reports',
        mode: 'live',
        permissions: ['tasks:read'],
        expires_at: '2026-12-31T23:59:59Z',
      },
    },
  },
  responses: {
    201: {
      description: 'The key, shown this once.',
      schema: CreatedApiKey,
      examples: {
        key: { summary: 'A new key', value: { ...apiKey, key: 'vg_live_4hG8…9xTa' } },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: invalidRequest('mode must be one of live, test (got "prod")'),
      not_found: noAccount,
    }),
  },
};

export const revokeKey: RouteDescription = {
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/admin/keys/:id',
  summary: 'Revoke a key',
  description: 'Refused on this process at once, everywhere within 5 seconds.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'key',
  params: KeyParams,
  responses: {
    204: { description: 'The key is revoked.' },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...bodyErrors,
      not_found: errorExample('not_found', 'There is no key with this id.'),
    }),
  },
};

export const rotateWebhookSecret: RouteDescription = {
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/admin/accounts/:id/webhook-secret',
  summary: 'Rotate the webhook secret',
  description:
    'For a while calls carry two signatures, so that receivers can change over in peace.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  requiresConfirmation: true,
  params: AccountParams,
  body: RotateWebhookSecretRequest,
  bodyIsOptional: true,
  requestExamples: {
    day: { summary: 'Both signatures for a day', value: { keep_previous_seconds: 86_400 } },
    leaked: { summary: 'The old secret has leaked', value: { keep_previous_seconds: 0 } },
  },
  responses: {
    200: {
      description: 'The account with its new secret.',
      schema: Account,
      examples: { account: { summary: 'With the new secret', value: account } },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: invalidRequest('keep_previous_seconds must be at least 0 (got -1)'),
      not_found: noAccount,
    }),
  },
};

export const closeAccount: RouteDescription = {
  operationId: 'closeAccount',
  method: 'POST',
  path: '/admin/accounts/:id/close',
  summary: 'Close an account',
  description: 'Its keys answer 401 and nothing can be booked to it any more.',
  tag: 'Admin',
  auth: 'admin',
  requiresConfirmation: true,
  params: AccountParams,
  responses: {
    200: {
      description: 'The closed account.',
      schema: Account,
      examples: {
        closed: { summary: 'Closed', value: { ...account, closed_at: account.created_at + 60 } },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], { ...bodyErrors, not_found: noAccount }),
  },
};
