/** Admin API: revenue, cost and margin; vendor bills; all of it for administrators alone. */
import { z } from 'zod';
import { accountQuery, filePageQuery, listOf } from './list.ts';

const marginDimensions = ['day', 'account', 'model', 'provider'] as const;
export type MarginDimension = (typeof marginDimensions)[number];

const count = (description: string) => z.int().min(0).describe(description);
const money = (description: string) => z.number().describe(description);
const dayParam = (description: string) =>
  z.iso.date('must be a day such as 2026-01-31').optional().describe(description);

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

export const MarginRow = z
  .object({
    key: z.string().describe('The day, account ID, model or provider.'),
    name: z.string().describe('For people: the name of the account, else the key.'),
    tasks: count('Live tasks that were charged.'),
    credits: count('Charged.'),
    revenue: money('Credits charged × `creditValue`; null without one.').nullable(),
    attempts: count('Attempts that a provider may bill.'),
    cost: money('Of the attempts whose cost is known.'),
    margin: money('`revenue` − `cost`; too high where costs are unknown.').nullable(),
    cost_unknown: count('Attempts whose cost is not known.'),
  })
  .meta({ id: 'MarginRow' });
export type MarginRow = z.infer<typeof MarginRow>;

export const MarginResponse = listOf(MarginRow)
  .extend({
    currency: z.string(),
    credit_value: money('What a charged credit earns; null if it is not set.').nullable(),
    total: MarginRow.describe('Of all rows on all pages.'),
  })
  .meta({ id: 'Margin' });
export type MarginResponse = z.infer<typeof MarginResponse>;

export const billKinds = ['matched', 'differs', 'not_ours', 'not_billed', 'twice'] as const;
export type BillKind = (typeof billKinds)[number];

const column = (description: string) => z.string().min(1).max(200).describe(description);

export const VendorBillQuery = z.strictObject({
  provider: z.string().min(1).max(32).describe('The provider that sent the bill.'),
  operation: column('The column with the ID of the operation.'),
  amount: column('The column with the amount.'),
  rate: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be a number with at most 6 decimals')
    .optional()
    .describe('What one unit of the bill’s currency is worth in that of the installation.'),
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
    applied: count('Attempts that have their cost from the bill now.'),
    matched: BillGroup,
    differs: BillGroup,
    not_ours: BillGroup,
    not_billed: BillGroup,
    twice: BillGroup,
  })
  .meta({ id: 'VendorBillReport' });
export type VendorBillReport = z.infer<typeof VendorBillReport>;
