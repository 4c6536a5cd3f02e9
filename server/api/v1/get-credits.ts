/** `GET /v1/credits` (extension): what the key's account can spend in the key's mode. */
import assert from 'node:assert/strict';
import { findBalances } from '../../ledger/ledger.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function getCredits(
  { lifecycle }: ApiServices,
  { identity }: ApiRequest,
): Promise<ApiResponse> {
  assert(identity);
  const { accountId, mode } = identity;
  const balance = (await findBalances(lifecycle.db, [accountId])).get(accountId)?.[mode];
  return { body: { available: balance?.available ?? 0, reserved: balance?.reserved ?? 0, mode } };
}
