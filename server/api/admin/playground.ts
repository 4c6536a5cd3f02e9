/**
 * The dashboard's playground: what a person asks for goes the very way of a create by key, with a
 * key that nobody holds; and what it would cost and how long it usually takes.
 */
import { type PlaygroundEstimate, PlaygroundQuery } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import type { KeyIdentity } from '../../accounts/api-key.ts';
import { ensurePlaygroundKey } from '../../accounts/playground-key.ts';
import { priceOf } from '../../catalog/price.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { findSimilarTimes } from '../../tasks/usage.ts';
import { enforceRateLimit } from '../http/authorize.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';
import { checkCreateRequest, createTask, ignoredHeader } from '../v1/create-generation.ts';

export async function postPlaygroundGeneration(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db } = services.lifecycle;
  const { mode } = parseQuery(PlaygroundQuery, request.query);
  const { id: accountId } = await getAccount(db, request.params.id!);
  const identity = await db.transaction((tx) => ensurePlaygroundKey(tx, { accountId, mode }));
  await enforceRateLimit(services, 'create', { identity, setHeaders: request.setHeaders });
  return await createTask(services, { ...request, identity }, { createdBy: request.actor });
}

/** Nothing is fetched or reserved, and no key is made: whoever may look may ask. */
export async function postPlaygroundEstimate(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db, catalog } = services.lifecycle;
  const { mode } = parseQuery(PlaygroundQuery, request.query);
  const { id: accountId, demo } = await getAccount(db, request.params.id!);
  const identity: KeyIdentity = { keyId: '', accountId, mode, permissions: [], demo };
  const { generation, ignored } = checkCreateRequest(services, { body: request.body, identity });
  const { model, resolution, duration } = generation;
  const [balances, times] = await Promise.all([
    findBalances(db, [accountId]),
    findSimilarTimes(db, { mode, model, resolution, duration }),
  ]);
  const body: PlaygroundEstimate = {
    credits: priceOf(generation, catalog.prices),
    available: balances.get(accountId)?.[mode].available ?? 0,
    time: times && {
      p50_seconds: times.p50Seconds,
      p95_seconds: times.p95Seconds,
      tasks: times.tasks,
    },
  };
  return { body, headers: ignoredHeader(ignored) };
}
