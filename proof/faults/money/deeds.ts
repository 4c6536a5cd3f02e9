/**
 * What people, programs and providers do in a simulated world, each told to the model when the
 * service has answered. An answer that the model does not expect is thrown.
 */

import { createAccount } from '../../../server/accounts/account.ts';
import { authenticate } from '../../../server/accounts/authenticate.ts';
import { deleteKey, postClose, postCredits, postKey } from '../../../server/api/admin-accounts.ts';
import { postAdminCancel, postSettleRefund } from '../../../server/api/admin-tasks.ts';
import type { Answer, Asked, Handle } from '../../../server/api/service.ts';
import { postCodes, postRedemption } from '../../../server/api/top-ups.ts';
import { openBalances } from '../../../server/ledger/books.ts';
import { heedCallback } from '../../../server/lifecycle/heed-callback.ts';
import { Refusal } from '../../../server/refusal.ts';
import { createOf, generationOf } from '../../kit/seed.ts';
import {
  accept,
  accountOf,
  type Create,
  closeAccount,
  earlier,
  type Grant,
  grant,
  type Mode,
  openAccount,
  resolve,
  taskOf,
} from './model.ts';
import { makeRefundImpossible } from './simulated-time.ts';
import type { Fate, makers } from './simulated-upstream.ts';
import type { KnownAccount, KnownKey, KnownTask, World } from './world.ts';

export async function open(world: World): Promise<KnownAccount> {
  const { id } = await world.plain.transaction(async (tx) => {
    const account = await createAccount(tx, { name: 'Model' });
    await openBalances(tx, account.id);
    return account;
  });
  openAccount(world.money, id);
  const account: KnownAccount = { id, keys: { live: [], test: [] } };
  world.accounts.push(account);
  return account;
}

/** The answer, or the refusal; anything else is a fault of the service. */
async function ask(
  world: World,
  handle: Handle,
  { id, body }: { id?: string; body?: unknown },
): Promise<Answer | Refusal> {
  const params = id === undefined ? {} : { id };
  const asked = { params, body, query: {}, headers: {}, actor: 'the model' } as unknown as Asked;
  return await handle(world.service, asked).catch((error: Error) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
}

export async function mint(world: World, { id, keys }: KnownAccount, mode: Mode): Promise<void> {
  const answer = await ask(world, postKey, { id, body: { name: 'Model', mode } });
  if (answer instanceof Refusal) return must(isClosed(world, id), 'an open account has no key');
  const { id: keyId, key } = answer.body as { id: string; key: string };
  keys[mode].push({ id: keyId, key, isRevoked: false });
}

export async function revoke(world: World, key: KnownKey): Promise<void> {
  await ask(world, deleteKey, { id: key.id });
  key.isRevoked = true;
}

export async function give(world: World, { id }: KnownAccount, given: Grant): Promise<void> {
  const { mode, amount, reference } = given;
  const body = { mode, amount, reference, note: 'Model' };
  const answer = await ask(world, postCredits, { id, body });
  if (answer instanceof Refusal) must(isClosed(world, id), 'an open account takes no credits');
  else grant(world.money, id, given);
}

export async function sell(
  world: World,
  { amount, mode }: { amount: number; mode: Mode },
): Promise<void> {
  const answer = await ask(world, postCodes, { body: { amount, mode, count: 1, note: 'Model' } });
  if (answer instanceof Refusal) throw answer;
  const [made] = (answer.body as { items: { code: string }[] }).items;
  world.codes.push({ code: made!.code, amount, mode, account: null });
}

export async function redeem(
  world: World,
  { id }: KnownAccount,
  which: World['codes'][number],
): Promise<void> {
  const { code, amount, mode } = which;
  const answer = await ask(world, postRedemption, { id, body: { code } });
  if (answer instanceof Refusal) {
    const isDue = which.account === null && !isClosed(world, id);
    // Ten wrong codes an hour, and the next is not looked at.
    return must(!isDue || answer.code === 'rate_limited', `a good code: ${answer.message}`);
  }
  must(which.account === null, 'a code was redeemed twice');
  which.account = id;
  grant(world.money, id, { mode, amount, reference: `code ${code}` });
}

export async function close(world: World, { id }: KnownAccount): Promise<void> {
  const answer = await ask(world, postClose, { id });
  if (answer instanceof Refusal) throw answer;
  closeAccount(world.money, id);
}

export type NewTask = Omit<Create, 'account'> & {
  readonly key: KnownKey;
  readonly model: keyof typeof makers;
  readonly fate: Fate;
  readonly isCalledBack: boolean;
};

export async function create(
  world: World,
  account: KnownAccount,
  { key, model, fate, isCalledBack, ...wanted }: NewTask,
): Promise<void> {
  const wasRefused = key.isRevoked || isClosed(world, account.id);
  const identity = await world.turns
    .counted(() => authenticate(world.service.keys, `Bearer ${key.key}`))
    .catch(() => null);
  if (!identity) return must(key.isRevoked || isClosed(world, account.id), 'a good key is refused');
  must(!wasRefused, 'a key works that was revoked');
  const prompt = world.newPrompt();
  const { credits, timeoutSeconds, named, mode } = wanted;
  const order: Create = { account: account.id, mode, credits, timeoutSeconds, named };
  world.upstream.expect(prompt, fate);
  const outcome = await world.accept(
    createOf(
      { ...identity, key: key.key },
      {
        mode: identity.mode,
        generation: generationOf({ model, prompt }),
        callbackUrl: isCalledBack ? 'https://receiver.example.test/' : null,
        credits,
        timeoutSeconds,
        idempotency: named && { key: named.name, requestDigest: named.request },
      },
    ),
  );
  const before = earlier(world.money, order);
  switch (outcome.outcome) {
    case 'accepted': {
      const { taskId: id } = outcome;
      accept(world.money, id, order);
      const { may } = taskOf(world.money, id);
      if (fate.start.includes('rejected')) may.add('provider_rejected');
      if (fate.start.includes('refused')) may.add('provider_failed');
      world.upstream.receivers.set(id, fate.receiver);
      world.tasks.push({ id, prompt, isCalledBack, cancelsOpen: 0, isCancelled: false });
      return;
    }
    case 'repeated':
      return must(before?.task === outcome.taskId, 'answered with a task that is another');
    case 'key_reused':
      return must(before !== null && before.request !== named!.request, 'the same is not repeated');
    case 'closed':
      return must(isClosed(world, account.id), 'an open account is called closed');
    case 'insufficient': {
      const { available } = accountOf(world.money, account.id).purses[mode];
      // Those that were decided with it may have taken of what it was told.
      const isSo = outcome.available < credits && outcome.available >= available;
      return must(isSo, `${outcome.available} is not enough for ${credits}: ${available}`);
    }
  }
}

export async function cancel(world: World, task: KnownTask): Promise<void> {
  const { may } = taskOf(world.money, task.id);
  task.cancelsOpen += 1;
  may.add('cancelled');
  const answer = await ask(world, postAdminCancel, { id: task.id });
  task.cancelsOpen -= 1;
  if (!(answer instanceof Refusal)) {
    must(!task.isCancelled, `${task.id} was cancelled twice`);
    task.isCancelled = true;
  } else if (task.cancelsOpen === 0 && !task.isCancelled) may.delete('cancelled');
}

/** A refund that the database will refuse, whatever the code does. */
export async function breakRefund(world: World, { id }: KnownTask): Promise<void> {
  if (taskOf(world.money, id).end !== null) return;
  await makeRefundImpossible(world.plain, id);
  taskOf(world.money, id).isRefundImpossible = true;
}

export async function settleByHand(
  world: World,
  { id }: KnownTask,
  outcome: 'refunded' | 'written_off',
): Promise<void> {
  const answer = await ask(world, postSettleRefund, { id, body: { outcome, note: 'Model' } });
  if (!(answer instanceof Refusal)) return resolve(world.money, id, outcome);
  const { settlement, resolved } = taskOf(world.money, id);
  must(settlement !== 'refund_failed' || resolved !== null, `not settled: ${answer.message}`);
}

/** `named` tells the operation, as an upstream does that signs what it says. */
export type CallbackKind = 'hint' | 'named' | 'forged' | 'unknown';

export async function callBack(
  world: World,
  { prompt }: KnownTask,
  kind: CallbackKind,
): Promise<void> {
  for (const { provider, reference, operation } of world.upstream.askedFor(prompt)) {
    const names = kind === 'named' && operation !== undefined ? { operation } : {};
    const reading =
      kind === 'forged' ? { outcome: 'forged', detail: 'forged' } : { outcome: 'hint', ...names };
    const body = Buffer.from(JSON.stringify(reading));
    const known = kind === 'unknown' ? `${reference}x` : reference;
    await heedCallback(world.lifecycle, { provider, reference: known, headers: {}, body });
  }
}

const isClosed = (world: World, account: string): boolean =>
  accountOf(world.money, account).isClosed;

function must(isSo: boolean, sentence: string): void {
  if (!isSo) throw new Error(sentence);
}
