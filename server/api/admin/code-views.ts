/** Redemption codes as JSON (contract/top-ups.ts), and the pepper of their digests. */
import type { ListCodesQuery, RedemptionCode } from '@vidgen/contract/top-ups.ts';
import type { z } from 'zod';
import { deriveKey } from '../../accounts/installation-secret.ts';
import type { Queryable } from '../../database/database.ts';
import type { Code } from '../../top-ups/codes.ts';
import { type CodeFilter, listCodes } from '../../top-ups/list-codes.ts';
import type { ApiServices } from '../http/handler.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

export const codePepper = ({ secret }: ApiServices): Buffer =>
  deriveKey(secret, 'redemption-codes-1');

export const codeView = (code: Code): RedemptionCode => ({
  id: code.id,
  last_four: code.lastFour,
  amount: code.amount,
  mode: code.mode,
  note: code.note,
  status: code.status,
  created_at: unixSeconds(code.createdAt),
  created_by: code.createdBy,
  expires_at: unixSecondsOrNull(code.expiresAt),
  redeemed_at: unixSecondsOrNull(code.redeemedAt),
  account_id: code.accountId,
});

export const codeFilterOf = (query: z.infer<typeof ListCodesQuery>): CodeFilter => ({
  search: query.q,
  sort: query.sort,
  status: query.status,
  mode: query.mode,
  accountId: query.account_id,
  cursor: query.cursor,
  limit: query.limit,
});

export async function listCodeViews(
  db: Queryable,
  filter: CodeFilter,
): Promise<{ items: RedemptionCode[]; nextCursor: string | null }> {
  const { items, nextCursor } = await listCodes(db, filter);
  return { items: items.map(codeView), nextCursor };
}
