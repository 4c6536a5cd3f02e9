/** Admin API: what other prices, another provider or other costs would have made of 30 days. */
import { z } from 'zod';
import { pricePercent } from './account-controls.ts';
import { moneyRate } from './costs.ts';
import { accountQuery } from './list.ts';
import { Rate } from './model-declaration.ts';
import { ModelId, ResolutionName } from './model-name.ts';

export const RehearsalRequest = z
  .strictObject({
    ...accountQuery('Whose prices change; without it, the list prices do.'),
    percent: pricePercent
      .unwrap()
      .optional()
      .describe('Of the list prices; with `account_id`, the percentage of that customer.'),
    prices: z
      .record(ModelId, z.record(ResolutionName, Rate))
      .optional()
      .describe('Rates in credits; with `account_id`, fixed rates of that customer.'),
    providers: z
      .record(ModelId, z.string().min(1).max(32))
      .optional()
      .describe('The provider that makes a model: costs are what the rates of its `costs` say.'),
    costs: z
      .record(ModelId, z.record(ResolutionName, moneyRate))
      .optional()
      .describe('What a vendor bills for a model, in the currency of the installation.'),
  })
  .meta({ id: 'RehearsalRequest' });
export type RehearsalRequest = z.infer<typeof RehearsalRequest>;

const money = (description: string) => z.number().describe(description);
const count = (description: string) => z.int().min(0).describe(description);

const Figures = z.object({
  tasks: count('Charged.'),
  credits: count('Charged.'),
  revenue: money('Credits × `creditValue`; null without one.').nullable(),
  cost: money('Where it is known.'),
  margin: money('`revenue` − `cost`; too high where costs are unknown.').nullable(),
  cost_unknown: count('Tasks with a cost that is not known.'),
});

export const RehearsalRow = z
  .object({
    account_id: z.string(),
    name: z.string(),
    now: Figures,
    rehearsed: Figures,
    refused_balance: count('Tasks that the balance of that time would not have paid.'),
    refused_cap: count('Tasks above the spending cap that their key has today.'),
  })
  .meta({ id: 'RehearsalRow' });
export type RehearsalRow = z.infer<typeof RehearsalRow>;

export const RehearsalResponse = z
  .object({
    currency: z.string(),
    since: z.int().describe('Of the first task that was counted, in Unix seconds.').nullable(),
    tasks: count('Live tasks that were counted: the newest of the last 30 days, 100,000 at most.'),
    is_partial: z.boolean().describe('Whether older tasks of the 30 days were left out.'),
    unpriced: count('Tasks without a rehearsed price, such as of removed models: as charged.'),
    total: RehearsalRow.omit({ account_id: true, name: true }),
    items: z.array(RehearsalRow).describe('The 500 customers with the largest revenue.'),
    note: z.string().describe('What the figures do not say.'),
  })
  .meta({ id: 'Rehearsal' });
export type RehearsalResponse = z.infer<typeof RehearsalResponse>;
