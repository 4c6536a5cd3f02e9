/** Returns what the key's account can spend in the key's mode. */
import assert from 'node:assert/strict';
import { CreditsResponse } from '@vidgen/contract/credits-response.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';

export const getCredits = endpoint({
  operationId: 'getCredits',
  method: 'GET',
  path: '/v1/credits',
  summary: 'Get the balance',
  auth: 'key',
  extension: true,
  responses: {
    200: {
      description: 'The account’s credits in the mode of the key.',
      schema: CreditsResponse,
      examples: { live: ['A live key', { available: 960, reserved: 40, mode: 'live' }] },
    },
  },
  async handler({ lifecycle }, { identity }) {
    assert(identity);
    const { accountId, mode } = identity;
    const balance = (await findBalances(lifecycle.db, [accountId])).get(accountId)?.[mode];
    return { body: { available: balance?.available ?? 0, reserved: balance?.reserved ?? 0, mode } };
  },
});
