/** Admin API: accounts, their credits and their keys. */
import { z } from 'zod';
import {
  AccountLimits,
  CustomerRates,
  creditsMax,
  pricePercent,
  SpendingCap,
  SpendingCapRequest,
} from './account-controls.ts';
import {
  countedListOf,
  filePageQuery,
  idParams,
  integerParam,
  listOf,
  modeQuery,
  nullableText,
  pageQuery,
  searchQuery,
  sortQuery,
  timestampField,
  unixSeconds,
} from './list.ts';
import { keyModes, permissions } from './models.ts';
import { requiredText } from './text.ts';

export const AccountParams = idParams('The account.');

const AccountBalance = z.object({
  available: z.int().min(0).describe('Can be reserved.'),
  reserved: z.int().min(0).describe('Held for tasks in progress.'),
  suspended: z.int().min(0).describe('Failed refunds that are not resolved yet.'),
});

const keptDays = (what: string, { min }: { readonly min: 0 | 1 }) => {
  const never = min === 0 ? ', 0: never' : '';
  return z
    .int()
    .min(min)
    .max(3650)
    .nullable()
    .describe(`After how many days ${what}; null: as the installation says${never}.`);
};

export const Retention = z
  .strictObject({
    prompts_days: keptDays('prompts, material URLs and metadata are deleted', { min: 0 }),
    deliveries_days: keptDays('the bodies of webhook deliveries are deleted', { min: 0 }),
    tasks_days: keptDays('tasks are deleted, with everything but their credits', { min: 0 }),
    files_days: keptDays('results are deleted, of tasks that complete from now on', { min: 1 }),
  })
  .meta({ id: 'Retention' });
export type Retention = z.infer<typeof Retention>;

export const SetRetentionRequest = Retention.partial().meta({ id: 'SetRetentionRequest' });

export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    demo: z.boolean().describe('The account of a first start: always served by previews.'),
    created_at: unixSeconds('Unix time in whole seconds.'),
    suspended_at: unixSeconds(
      'Since when it is suspended: keys are rejected, members read.',
    ).nullable(),
    suspension_note: z.string().nullable().describe('Why; null for members.'),
    closed_at: unixSeconds('When it was closed.').nullable(),
    erasure_started_at: unixSeconds('Since when it is being erased.').nullable(),
    erased_at: unixSeconds('When nothing was left but its ledger and usage.').nullable(),
    webhook_secret: z.string().nullable().describe('`whsec_…`: signs webhooks; null for viewers.'),
    webhook_url: nullableText(
      'Receives the webhooks of tasks whose create names no `callback_url`.',
    ),
    retention: Retention,
    limits: AccountLimits,
    price_percent: pricePercent.describe(
      'Of the list prices of all models; null: 100. Null for members.',
    ),
    prices: CustomerRates.describe(
      'Rates by model and resolution; they replace the percentage. null: none. Null for members.',
    ),
    balance: z.object({ live: AccountBalance, test: AccountBalance }),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

export const CreateAccountRequest = z
  .strictObject({ name: requiredText({ charactersMax: 200 }) })
  .meta({ id: 'CreateAccountRequest' });

export const EraseAccountRequest = z
  .strictObject({
    name: requiredText({ charactersMax: 200 }).describe(
      'The name of the account, so that no other one is erased by mistake.',
    ),
  })
  .meta({ id: 'EraseAccountRequest' });

/** The secret is shown for a single account, never in a list. */
export const ListedAccount = Account.omit({ webhook_secret: true })
  .extend({
    last_task_at: unixSeconds('When its newest task was created, some seconds late.').nullable(),
  })
  .meta({ id: 'ListedAccount' });
export type ListedAccount = z.infer<typeof ListedAccount>;

export const ListAccountsQuery = z.strictObject({
  ...searchQuery('Words of the name, the ID or its beginning, or the name or email of a member.'),
  ...sortQuery(['created', 'name', 'balance', 'last_task']),
  status: z
    .enum(['open', 'active', 'suspended', 'closed'])
    .optional()
    .describe('Only such accounts. `open`: not closed, which is active or suspended.'),
  balance_max: integerParam({ min: 0, max: 999_999_999_999_999 })
    .optional()
    .describe('Only accounts with at most this many live credits available, a few seconds ago.'),
  has_tasks: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only accounts with tasks, or without any, a few seconds ago.'),
  ...filePageQuery,
});
export const ListAccountsResponse = countedListOf(ListedAccount).meta({ id: 'AccountList' });
export type ListAccountsResponse = z.infer<typeof ListAccountsResponse>;

/** One day: long enough to configure the new secret in a receiver. */
export const previousSecretSecondsDefault = 86_400;

export const RotateWebhookSecretRequest = z
  .strictObject({
    keep_previous_seconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .optional()
      .describe(
        'How long calls carry the old signature beside the new one; 0: the old is worthless at ' +
          `once. Default: ${previousSecretSecondsDefault}, one day.`,
      ),
  })
  .meta({ id: 'RotateWebhookSecretRequest' });

export const SetWebhookUrlRequest = z
  .strictObject({
    url: nullableText('Checked like `callback_url`; null: no endpoint of the account.'),
  })
  .meta({ id: 'SetWebhookUrlRequest' });

export const GrantCreditsRequest = z
  .strictObject({
    amount: z
      .int()
      .min(-creditsMax)
      .max(creditsMax)
      .refine((amount) => amount !== 0, 'must not be 0')
      .describe('Credits to add. A negative amount is deducted, at most what is available.'),
    mode: z.enum(keyModes).describe('Which of the two balances.'),
    note: requiredText({ charactersMax: 1000 }).describe('Why: shown in the credit history.'),
    reference: requiredText({ charactersMax: 255 })
      .optional()
      .describe(
        'An invoice or payment. Used once: the same reference again returns the first entry and ' +
          'changes nothing.',
      ),
  })
  .meta({ id: 'GrantCreditsRequest' });
export type GrantCreditsRequest = z.infer<typeof GrantCreditsRequest>;

const entryKinds = [
  'grant',
  'deduct',
  'reserve',
  'charge',
  'refund',
  'suspend',
  'release',
] as const;

export const LedgerEntry = z
  .object({
    id: z.string(),
    account_id: z.string(),
    mode: z.enum(keyModes),
    number: z.int().min(1).describe('Counts up by one for each entry of an account and mode.'),
    kind: z.enum(entryKinds),
    source: z.enum(['outside', 'available', 'reserved', 'suspended']),
    target: z.enum(['outside', 'available', 'reserved', 'spent', 'suspended']),
    amount: z.int().min(1).describe('Credits moved from source to target.'),
    balance_after: AccountBalance.extend({ spent: z.int().min(0) }),
    task_id: z.string().nullable(),
    note: z.string().nullable(),
    reference: z.string().nullable(),
    created_at: unixSeconds('Unix time in whole seconds.'),
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const ListLedgerQuery = z.strictObject({
  ...modeQuery,
  kind: z.enum(entryKinds).optional().describe('Only entries of this kind.'),
  task_id: z.string().optional().describe('Only entries of this task.'),
  by: z
    .enum(['entry', 'task'])
    .optional()
    .describe('`task`: one entry for each task, its latest. Default: `entry`, all of them.'),
  ...filePageQuery,
});
const ListedLedgerEntry = LedgerEntry.extend({
  prompt: nullableText(
    'Of the task, its first 200 characters; null without a task, or if it is deleted.',
  ),
}).meta({ id: 'ListedLedgerEntry' });
export type ListedLedgerEntry = z.infer<typeof ListedLedgerEntry>;
export const ListLedgerResponse = countedListOf(ListedLedgerEntry).meta({ id: 'LedgerEntryList' });

export const CreateApiKeyRequest = z
  .strictObject({
    name: requiredText({ charactersMax: 200 }),
    mode: z.enum(keyModes).describe('`test` keys spend test credits on previews.'),
    permissions: z.array(z.enum(permissions)).min(1).optional().describe('Default: all of them.'),
    expires_at: timestampField()
      .optional()
      .describe('Unix seconds or ISO 8601, in the future. Default: never.'),
    spend_cap: SpendingCapRequest.optional().describe('Default: none.'),
  })
  .meta({ id: 'MintKeyRequest' });

export const KeyParams = idParams('The key: its `id`, not the key itself.');

export const ApiKey = z
  .object({
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    mode: z.enum(keyModes),
    permissions: z.array(z.enum(permissions)),
    prefix: z.string().describe('The first twelve characters of the key.'),
    last_four: z.string().describe('The last four characters of the key.'),
    created_at: unixSeconds('Unix time in whole seconds.'),
    expires_at: z.string().nullable().describe('ISO 8601 in UTC; null: never.'),
    revoked_at: unixSeconds('When it was revoked.').nullable(),
    last_used_at: unixSeconds('About when it was last used.').nullable(),
    created_by: z.string().nullable().describe('Who created it, if known.'),
    spend_cap: SpendingCap.nullable(),
    credits_30_days: z.int().min(0).describe('Credits charged for its tasks in the last 30 days.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  key: z.string().describe('The key; only this response contains it.'),
}).meta({ id: 'MintedKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const ListKeysQuery = z.strictObject({ ...modeQuery, ...pageQuery });
export const ListKeysResponse = listOf(ApiKey).meta({ id: 'ApiKeyList' });
export type ListKeysResponse = z.infer<typeof ListKeysResponse>;
