/** Redemption codes as JSON (contract/top-ups.ts), and the pepper of their digests. */
import type { RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import type { Code } from '../../top-ups/codes.ts';
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
