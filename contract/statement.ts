/** The statement of an account's credits for one month, as an accountant reads it. */
import { z } from 'zod';
import { keyModes } from './models.ts';

export const StatementQuery = z.strictObject({
  mode: z.enum(keyModes).describe('Which of the two balances.'),
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month, such as 2026-01')
    .describe('In UTC: `2026-01`.'),
});

const balance = (when: string) =>
  z.int().min(0).describe(`Credits ${when} the month: available, reserved and suspended together.`);

export const StatementResponse = z
  .object({
    month: z.string(),
    mode: z.enum(keyModes),
    opening_balance: balance('before'),
    closing_balance: balance('at the end of'),
    lines: z
      .array(
        z.object({
          day: z.string().describe('In UTC: `2026-01-31`.'),
          kind: z.enum(['grant', 'deduct', 'charge']),
          note: z.string().nullable(),
          reference: z.string().nullable(),
          entries: z.int().min(1).describe('1, and for charges the tasks of the day.'),
          credits: z.int().min(1).describe('Added by a grant, taken by the others.'),
        }),
      )
      .describe('In their order: each grant and deduction, and the charges of a day together.'),
  })
  .meta({ id: 'Statement' });
export type StatementResponse = z.infer<typeof StatementResponse>;
