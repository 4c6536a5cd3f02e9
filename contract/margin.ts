/**
 * Admin API: revenue, cost and margin, vendor bills and price rehearsals; all of it for
 * administrators alone.
 */
import { z } from 'zod';
import { CustomerRates, pricePercent } from './account-controls.ts';
import { accountQuery, filePageQuery, listOf } from './list.ts';
import { ModelId } from './model-name.ts';

const marginDimensions = ['day', 'account', 'model', 'provider'] as const;
export type MarginDimension = (typeof marginDimensions)[number];

const count = (description: string) => z.int().min(0).describe(description);
const money = (description: string) => z.number().describe(description);
const dayParam = (description: string) =>
  z
    .string()
    .refine((day) => z.iso.date().safeParse(day).success && /^20/.test(day), {
      error: 'must be a day from 2000 to 2099, such as 2026-01-31',
    })
    .optional()
    .describe(description);

export const MarginQuery = z.strictObject({
  by: z.enum(marginDimensions).default('day').describe('What a row is added up by.'),
  since: dayParam('The first day, in UTC; 30 days before `until` by default.'),
  until: dayParam('The last day, in UTC; today by default.'),
  ...accountQuery('Only this account.'),
  model: z.string().min(1).max(200).optional().describe('Only this model.'),
  provider: z.string().min(1).max(200).optional().describe('Only this provider.'),
  ...filePageQuery,
});
export type MarginQuery = z.infer<typeof MarginQuery>;

const figures = {
  tasks: count('Live tasks that were charged.'),
  credits: count('Charged.'),
  revenue: money('Credits charged × the `creditValue` of that time; null without one.').nullable(),
  cost: money('Of the attempts whose cost is known.'),
  margin: money('`revenue` − `cost`; too high where costs are unknown.').nullable(),
  cost_unknown: count('Attempts whose cost is not known.'),
};

export const MarginRow = z
  .object({
    key: z.string().describe('The day, account ID, model or provider.'),
    name: z.string().describe('For people: the name of the account, else the key.'),
    ...figures,
    attempts: count('Attempts that a provider may bill.'),
  })
  .meta({ id: 'MarginRow' });
export type MarginRow = z.infer<typeof MarginRow>;

export const MarginResponse = listOf(MarginRow)
  .extend({
    currency: z.string(),
    credit_value: money('What a charged credit earns now; null if it is not set.').nullable(),
    total: MarginRow.describe('Of all rows on all pages.'),
  })
  .meta({ id: 'Margin' });
export type MarginResponse = z.infer<typeof MarginResponse>;

export const billKinds = ['matched', 'differs', 'not_ours', 'not_billed', 'twice'] as const;
export type BillKind = (typeof billKinds)[number];

const column = (description: string) =>
  z.string().min(1).max(200).optional().describe(`${description}; found by its name by default.`);

export const VendorBillQuery = z.strictObject({
  provider: z.string().min(1).max(32).describe('The provider that sent the bill.'),
  operation: column('The column with the ID of the operation'),
  amount: column('The column with the amount, in the currency of the provider’s `costs`'),
  since: dayParam('The first day that the bill covers, in UTC.'),
  until: dayParam('The last day that the bill covers, in UTC.'),
  apply: z.enum(['true', 'false']).default('false').describe('Write the costs of the bill.'),
  format: z.enum(['csv']).optional().describe('The whole report as CSV, a line for each row.'),
});

export const BillRow = z
  .object({
    kind: z.enum(billKinds),
    line: z.int().nullable().describe('Of the file, from 1; null if the bill does not have it.'),
    operation: z.string(),
    task_id: z.string().nullable(),
    billed: money('By the bill.').nullable(),
    expected: money('As reported or by the rule; null if it was unknown.').nullable(),
  })
  .meta({ id: 'BillRow' });
export type BillRow = z.infer<typeof BillRow>;

const BillGroup = z.object({
  rows: count('How many.'),
  billed: money('Their sum on the bill.'),
  expected: money('Their sum as expected, where it is known.'),
  first: z.array(BillRow).describe('The first 100; `format=csv` has all of them.'),
});

export const VendorBillReport = z
  .object({
    currency: z.string(),
    applicable: count('Attempts whose cost `apply` changes or would change.'),
    applied: count('Attempts that have their cost from the bill now.'),
    applied_before: count('Attempts that had it from this file before; their rows match.'),
    matched: BillGroup,
    differs: BillGroup,
    not_ours: BillGroup,
    not_billed: BillGroup,
    twice: BillGroup,
  })
  .meta({ id: 'VendorBillReport' });
export type VendorBillReport = z.infer<typeof VendorBillReport>;

export const RehearsalRequest = z
  .strictObject({
    ...accountQuery('Whose prices change; without it, the list prices do.'),
    percent: pricePercent
      .unwrap()
      .optional()
      .describe('Of the list prices; with `account_id`, the percentage of that customer.'),
    prices: CustomerRates.unwrap()
      .optional()
      .describe('Rates in credits; with `account_id`, fixed rates of that customer.'),
    providers: z
      .record(ModelId, z.string().min(1).max(32))
      .optional()
      .describe('The provider that makes a model: costs are what the rates of its `costs` say.'),
  })
  .meta({ id: 'RehearsalRequest' });
export type RehearsalRequest = z.infer<typeof RehearsalRequest>;

export const RehearsalRow = z
  .object({
    account_id: z.string(),
    name: z.string(),
    now: z.object(figures),
    rehearsed: z.object(figures),
    refused_balance: count('Tasks that the balance of that time would not have paid.'),
    refused_cap: count('Tasks above the spending cap that their key has today.'),
  })
  .meta({ id: 'RehearsalRow' });
export type RehearsalRow = z.infer<typeof RehearsalRow>;

export const RehearsalResponse = z
  .object({
    currency: z.string(),
    tasks: count('Live tasks that were counted: the newest of the last 30 days, 100,000 at most.'),
    since: z.int().describe('Of the first task that was counted, in Unix seconds.').nullable(),
    total: RehearsalRow.omit({ account_id: true, name: true }),
    items: z.array(RehearsalRow).describe('The 500 customers with the largest revenue.'),
    note: z.string().describe('What the figures do not say.'),
  })
  .meta({ id: 'Rehearsal' });
export type RehearsalResponse = z.infer<typeof RehearsalResponse>;
