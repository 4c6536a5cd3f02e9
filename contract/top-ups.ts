/** Top-ups: redemption codes, and Stripe Checkout if configured. */
import { z } from 'zod';
import {
  accountQuery,
  filePageQuery,
  idParams,
  listOf,
  modeQuery,
  searchQuery,
  sortQuery,
  timestampField,
  unixSeconds,
} from './list.ts';
import { keyModes } from './models.ts';
import { requiredText } from './text.ts';

export const TopUpPack = z.object({
  id: z.string(),
  credits: z.int().min(1),
  price: z.int().min(1).describe('In the smallest unit of the currency: cents.'),
  currency: z.string().describe('Three lower-case letters: `usd`.'),
});
export type TopUpPack = z.infer<typeof TopUpPack>;

export const TopUpsResponse = z
  .object({
    packs: z.array(TopUpPack).describe('What can be bought; empty where nothing is for sale.'),
  })
  .meta({ id: 'TopUps' });
export type TopUpsResponse = z.infer<typeof TopUpsResponse>;

export const RedeemRequest = z
  .strictObject({ code: z.string().min(1).max(100).describe('Spaces and dashes do not matter.') })
  .meta({ id: 'RedeemRequest' });

export const CheckoutRequest = z
  .strictObject({ pack: z.string().min(1).max(100).describe('The `id` of a pack.') })
  .meta({ id: 'CheckoutRequest' });
export const CheckoutResponse = z
  .object({ url: z.string().describe('Where to pay.') })
  .meta({ id: 'Checkout' });
export type CheckoutResponse = z.infer<typeof CheckoutResponse>;

export const CreateCodesRequest = z
  .strictObject({
    amount: z.int().min(1).max(1_000_000_000).describe('Credits of each code.'),
    mode: z.enum(keyModes).describe('Which of the two balances.'),
    count: z.int().min(1).max(1000).describe('How many codes.'),
    note: requiredText({ charactersMax: 1000 }).describe('What for: shown in the credit history.'),
    expires_at: timestampField()
      .optional()
      .describe('Unix seconds or ISO 8601, in the future. Default: never.'),
  })
  .meta({ id: 'CreateCodesRequest' });

export const codeStatuses = ['open', 'redeemed', 'expired', 'revoked'] as const;

export const RedemptionCode = z
  .object({
    id: z.string(),
    last_four: z.string().describe('The last four characters, to recognise it by.'),
    amount: z.int().min(1),
    mode: z.enum(keyModes),
    note: z.string(),
    status: z.enum(codeStatuses),
    created_at: unixSeconds('Unix time in whole seconds.'),
    created_by: z.string(),
    expires_at: unixSeconds('When it ends; null: never.').nullable(),
    redeemed_at: unixSeconds('When it was used.').nullable(),
    account_id: z.string().nullable().describe('Who used it.'),
  })
  .meta({ id: 'RedemptionCode' });
export type RedemptionCode = z.infer<typeof RedemptionCode>;

export const CreatedCodes = z
  .object({
    items: z.array(
      RedemptionCode.extend({ code: z.string().describe('The code itself, shown this once.') }),
    ),
  })
  .meta({ id: 'CreatedCodes' });
export type CreatedCodes = z.infer<typeof CreatedCodes>;

export const ListCodesQuery = z.strictObject({
  ...searchQuery('Words of the note, the last four characters, or who created it.'),
  ...sortQuery(['created', 'amount']),
  status: z.enum(codeStatuses).optional().describe('Only codes with this status.'),
  ...modeQuery,
  ...accountQuery('Only codes that this account redeemed.'),
  ...filePageQuery,
});
export const ListCodesResponse = listOf(RedemptionCode).meta({ id: 'RedemptionCodeList' });
export const CodeParams = idParams('The code: its `id`, not the code itself.');
