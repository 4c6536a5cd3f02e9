/**
 * The dashboard's playground: what a person asks for goes the very way of a create by key, with a
 * key that nobody holds; and what it would cost and how long it usually takes.
 */
import { type PlaygroundEstimate, PlaygroundQuery } from '@vidgen/contract/playground.ts';
import { getAccount } from '../accounts/account.ts';
import type { KeyIdentity } from '../accounts/api-key.ts';
import { openPlaygroundKey } from '../accounts/playground-key.ts';
import { priceOf } from '../catalog/price.ts';
import { findBalances } from '../ledger/books.ts';
import { timeAlike } from '../tasks/usage.ts';
import { checkedQuery } from './check-request.ts';
import { check, createGeneration, ignoredHeader } from './create-generation.ts';
import type { Answer, Asked, Service } from './service.ts';
import { throttle } from './steps.ts';

export async function postPlaygroundGeneration(service: Service, asked: Asked): Promise<Answer> {
  const { db } = service.lifecycle;
  const { mode } = checkedQuery(PlaygroundQuery, asked.query);
  const { id: accountId } = await getAccount(db, asked.params.id!);
  const identity = await db.transaction((tx) => openPlaygroundKey(tx, { accountId, mode }));
  await throttle(service, 'create', { identity, tell: asked.tell });
  return await createGeneration(service, { ...asked, identity }, { createdBy: asked.actor });
}

/** Nothing is fetched or reserved, and no key is made: whoever may look may ask. */
export async function postPlaygroundEstimate(service: Service, asked: Asked): Promise<Answer> {
  const { db, catalogue } = service.lifecycle;
  const { mode } = checkedQuery(PlaygroundQuery, asked.query);
  const { id: accountId, demo } = await getAccount(db, asked.params.id!);
  const identity: KeyIdentity = { keyId: '', accountId, mode, permissions: [], demo };
  const { generation, ignored } = check(service, { body: asked.body, identity });
  const { model, resolution, duration } = generation;
  const [balances, times] = await Promise.all([
    findBalances(db, [accountId]),
    timeAlike(db, { mode, model, resolution, duration }),
  ]);
  const body: PlaygroundEstimate = {
    credits: priceOf(generation, catalogue.prices),
    available: balances.get(accountId)?.[mode].available ?? 0,
    time: times && {
      p50_seconds: times.p50Seconds,
      p95_seconds: times.p95Seconds,
      tasks: times.tasks,
    },
  };
  return { body, headers: ignoredHeader(ignored) };
}
