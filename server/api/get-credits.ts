/** `GET /v1/credits` (extension): what the key's account can spend in the key's mode. */
import assert from 'node:assert/strict';
import { findBalances } from '../ledger/books.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getCredits({ lifecycle }: Service, { identity }: Asked): Promise<Answer> {
  assert(identity);
  const { accountId, mode } = identity;
  const balance = (await findBalances(lifecycle.db, [accountId])).get(accountId)?.[mode];
  return { body: { available: balance?.available ?? 0, reserved: balance?.reserved ?? 0, mode } };
}
