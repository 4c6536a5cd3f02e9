/** Admin API: suspension, limits and corrections of accounts, and spending caps of keys. */
import { z } from 'zod';
import { Rate } from './model-declaration.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import { spendingPeriods } from './models.ts';
import { balanceThreshold } from './notices.ts';
import { requiredText } from './text.ts';

/** Far above any balance, and far below where a sum of balances would lose precision. */
export const creditsMax = 1_000_000_000_000;

export const SuspendAccountRequest = z
  .strictObject({
    note: requiredText({ charactersMax: 1000 })
      .optional()
      .describe('Why: for administrators and the audit log; members do not see it.'),
  })
  .meta({ id: 'SuspendAccountRequest' });

const limitOf = (what: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .describe(`${what}; null: as the installation says, 0: no limit.`);

export const AccountLimits = z
  .strictObject({
    creates_per_minute: limitOf('Create requests per minute over all keys'),
    running_tasks: limitOf('Tasks in progress at once over all keys, in each mode'),
  })
  .meta({ id: 'AccountLimits' });
export type AccountLimits = z.infer<typeof AccountLimits>;

export const pricePercent = z
  .number()
  .min(0)
  .max(999)
  .refine((percent) => Number(percent.toFixed(2)) === percent, {
    error: 'must have at most 2 decimals',
  })
  .nullable()
  .describe('Of the list prices of all models; null: 100.');
export const CustomerRates = z
  .record(ModelId, z.record(ResolutionName, Rate))
  .nullable()
  .describe('Rates by model and resolution; they replace the percentage. null: none.');

export const ChangeAccountRequest = z
  .strictObject({
    name: requiredText({ charactersMax: 200 }),
    creates_per_minute: limitOf('Create requests per minute over all keys'),
    running_max: limitOf('Tasks in progress at once over all keys, in each mode'),
    low_balance: balanceThreshold,
    price_percent: pricePercent,
    prices: CustomerRates,
  })
  .partial()
  .meta({ id: 'ChangeAccountRequest' });

const figure = (description: string) => z.int().min(0).describe(description);

export const LimitsUse = z
  .object({
    creates_per_minute: z.object({
      limit: figure('What applies, of the account or the installation; 0: no limit.'),
      used: figure('Create requests in the last minute; null without a limit.').nullable(),
    }),
    running_tasks: z.object({
      limit: figure('What applies to each mode, of the account or the installation; 0: no limit.'),
      live: figure('Live tasks in progress.'),
      test: figure('Test tasks in progress.'),
    }),
  })
  .meta({ id: 'LimitsUse' });
export type LimitsUse = z.infer<typeof LimitsUse>;

export const SpendingCapRequest = z
  .strictObject({
    credits: z
      .int()
      .min(0)
      .max(creditsMax)
      .describe('What tasks of the key may reserve per period; refunds give it back.'),
    period: z
      .enum(spendingPeriods)
      .describe('`day` and `month` begin at midnight in UTC; `total` never renews.'),
  })
  .meta({ id: 'SpendingCapRequest' });
export type SpendingCapRequest = z.infer<typeof SpendingCapRequest>;

export const SetSpendingCapRequest = z
  .strictObject({ spend_cap: SpendingCapRequest.nullable().describe('null: no cap.') })
  .meta({ id: 'SetSpendingCapRequest' });

export const SpendingCap = z
  .object({
    credits: figure('The cap.'),
    period: z.enum(spendingPeriods),
    used: figure('Reserved or charged for tasks that were created in the period.'),
    renews_at: figure('When the next period begins, in Unix seconds; null: never.').nullable(),
  })
  .meta({ id: 'SpendingCap' });
export type SpendingCap = z.infer<typeof SpendingCap>;
