/**
 * What a provider bills the operator, and what a credit is worth: the settings from which the cost
 * and the revenue of every video follow.
 */
import { z } from 'zod';
import { figureOf, rateSchema } from './model-declaration.ts';
import { ModelId, ResolutionName } from './model-name.ts';

/** Millionths are the smallest amount that is counted. */
const money = figureOf({ decimals: 6 });
const Currency = z.string().regex(/^[A-Z]{3}$/, 'must be a currency code such as USD');

/** One currency for the installation. */
export const defaultCurrency = 'USD';

export const CreditValue = z.strictObject({
  currency: Currency.default(defaultCurrency),
  amount: money.describe('What a charged credit earns.'),
});
export type CreditValue = z.infer<typeof CreditValue>;

export const Costs = z
  .strictObject({
    currency: Currency.optional().describe('Of all amounts; that of the installation by default.'),
    rate: money.positive().optional().describe('What one unit of `currency` is worth in it.'),
    models: z
      .record(ModelId, z.record(ResolutionName, rateSchema(money, 'Money')))
      .optional()
      .describe('The shape of prices.'),
    perMillionTokens: money.optional(),
    perComputeSecond: money.optional(),
    perUnit: money.optional().describe('Of what the provider reports, such as fal’s units.'),
    failed: z
      .enum(['free', 'billed'])
      .optional()
      .describe('Whether a generation that failed is billed; without it, that cost is unknown.'),
  })
  .refine(({ currency, rate }) => rate === undefined || currency !== undefined, {
    path: ['rate'],
    error: "needs the currency that it is of, such as currency: 'EUR'",
  })
  .meta({ id: 'Costs' });
export type Costs = z.infer<typeof Costs>;

export const costSources = ['reported', 'rule', 'bill'] as const;
export type CostSource = (typeof costSources)[number];
