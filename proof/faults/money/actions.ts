/**
 * The actions of people, programs and providers in a simulation. Each response is applied to the
 * model; a response that the model does not allow throws.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { createAccount } from '../../../server/accounts/account.ts';
import { authenticate } from '../../../server/accounts/keys/authenticate.ts';
import { closeAccount as closeAccountEndpoint } from '../../../server/api/accounts/accounts.ts';
import { createApiKey, revokeKey } from '../../../server/api/accounts/keys.ts';
import { grantCredits as grantCreditsEndpoint } from '../../../server/api/credits/credits.ts';
import { createCodes, redeemCode } from '../../../server/api/credits/redemption-codes.ts';
import type { Endpoint } from '../../../server/api/http/endpoint-definition.ts';
import type { ApiRequest, ApiResponse } from '../../../server/api/http/handler.ts';
import { cancelAnyTask, settleRefund } from '../../../server/api/tasks/tasks.ts';
import { createBalances } from '../../../server/ledger/ledger.ts';
import { handleProviderCallback } from '../../../server/lifecycle/poll/handle-provider-callback.ts';
import { createOf, generationOf } from '../../kit/seed.ts';
import {
  accept,
  accountOf,
  closeAccount,
  earlier,
  type Grant,
  grant,
  isOtherGrant,
  type Mode,
  type ModelCreate,
  openAccount,
  resolve,
  taskOf,
} from './model.ts';
import { makeRefundImpossible } from './simulated-time.ts';
import type { makers, ScriptedOutcome } from './simulated-upstream.ts';
import type { KnownAccount, KnownKey, KnownTask, MoneySimulation } from './simulation.ts';

export async function open(simulation: MoneySimulation): Promise<KnownAccount> {
  const { id } = await simulation.directDb.transaction(async (tx) => {
    const account = await createAccount(tx, { name: 'Model' });
    await createBalances(tx, account.id);
    return account;
  });
  openAccount(simulation.money, id);
  const account: KnownAccount = { id, keys: { live: [], test: [] } };
  simulation.accounts.push(account);
  return account;
}

/** Returns the response or the API error; any other error throws. */
async function callHandler(
  simulation: MoneySimulation,
  { handler }: Endpoint,
  { id, body }: { id?: string; body?: unknown },
): Promise<ApiResponse | ApiError> {
  const params = id === undefined ? {} : { id };
  const request = {
    params,
    body,
    query: {},
    headers: {},
    actor: 'the model',
    // The admin token, whose right is never lost.
    reauthorize: async () => {},
    requireConfirmation: async () => {},
    transaction: simulation.service.lifecycle.db.transaction,
  } as unknown as ApiRequest;
  return await handler(simulation.service, request).catch((error: Error) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
}

export async function createKey(
  simulation: MoneySimulation,
  { id, keys }: KnownAccount,
  mode: Mode,
): Promise<void> {
  const response = await callHandler(simulation, createApiKey, {
    id,
    body: { name: 'Model', mode },
  });
  if (response instanceof ApiError)
    return invariant(isClosed(simulation, id), 'an open account gets no key');
  const { id: keyId, key } = response.body as { id: string; key: string };
  keys[mode].push({ id: keyId, key, isRevoked: false });
}

export async function revoke(simulation: MoneySimulation, key: KnownKey): Promise<void> {
  await callHandler(simulation, revokeKey, { id: key.id });
  key.isRevoked = true;
}

export async function grantCredits(
  simulation: MoneySimulation,
  { id }: KnownAccount,
  grantOptions: Grant,
): Promise<void> {
  const { mode, amount, reference } = grantOptions;
  const body = { mode, amount, reference, note: 'Model' };
  const response = await callHandler(simulation, grantCreditsEndpoint, { id, body });
  if (!(response instanceof ApiError)) return grant(simulation.money, id, grantOptions);
  const isOther = isOtherGrant(simulation.money, id, grantOptions);
  invariant(isOther || isClosed(simulation, id), 'an open account takes no credits');
}

export async function sellCode(
  simulation: MoneySimulation,
  { amount, mode }: { amount: number; mode: Mode },
): Promise<void> {
  const response = await callHandler(simulation, createCodes, {
    body: { amount, mode, count: 1, note: 'Model' },
  });
  if (response instanceof ApiError) throw response;
  const [created] = (response.body as { items: { code: string }[] }).items;
  simulation.codes.push({ code: created!.code, amount, mode, account: null });
}

export async function redeem(
  simulation: MoneySimulation,
  { id }: KnownAccount,
  which: MoneySimulation['codes'][number],
): Promise<void> {
  const { code, amount, mode } = which;
  const response = await callHandler(simulation, redeemCode, { id, body: { code } });
  if (response instanceof ApiError) {
    const isDue = which.account === null && !isClosed(simulation, id);
    // After ten wrong codes in an hour the next one is not checked.
    return invariant(
      !isDue || response.code === 'rate_limited',
      `a good code: ${response.message}`,
    );
  }
  invariant(which.account === null, 'a code was redeemed twice');
  which.account = id;
  grant(simulation.money, id, { mode, amount, reference: `code ${code}` });
}

export async function close(simulation: MoneySimulation, { id }: KnownAccount): Promise<void> {
  const response = await callHandler(simulation, closeAccountEndpoint, { id });
  if (response instanceof ApiError) throw response;
  closeAccount(simulation.money, id);
}

export type NewTask = Omit<ModelCreate, 'account'> & {
  readonly key: KnownKey;
  readonly model: keyof typeof makers;
  readonly scripted: ScriptedOutcome;
  readonly isCalledBack: boolean;
};

export async function create(
  simulation: MoneySimulation,
  account: KnownAccount,
  { key, model, scripted, isCalledBack, ...taskOptions }: NewTask,
): Promise<void> {
  const wasRejected = key.isRevoked || isClosed(simulation, account.id);
  const identity = await simulation.steps
    .track(() => authenticate(simulation.service.keys, `Bearer ${key.key}`))
    .catch(() => null);
  if (!identity)
    return invariant(key.isRevoked || isClosed(simulation, account.id), 'a valid key is rejected');
  invariant(!wasRejected, 'a revoked key works');
  const prompt = simulation.newPrompt();
  const { credits, timeoutSeconds, named, mode } = taskOptions;
  const modelCreate: ModelCreate = { account: account.id, mode, credits, timeoutSeconds, named };
  simulation.upstream.expect(prompt, scripted);
  const accepted = await simulation.accept(
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
  const before = earlier(simulation.money, modelCreate);
  switch (accepted.outcome) {
    case 'accepted': {
      const { taskId: id } = accepted;
      accept(simulation.money, id, modelCreate);
      const { allowedEnds: may } = taskOf(simulation.money, id);
      if (scripted.start.includes('rejected')) may.add('provider_rejected');
      if (scripted.start.includes('refused')) may.add('provider_failed');
      simulation.upstream.receivers.set(id, scripted.receiver);
      const cancels = { cancelsOpen: 0, isCancelled: false, isCancelUnconfirmed: false };
      simulation.tasks.push({ id, prompt, isCalledBack, ...cancels });
      return;
    }
    case 'repeated':
      return invariant(before?.task === accepted.taskId, 'returned another task');
    case 'key_reused':
      return invariant(
        before !== null && before.request !== named!.request,
        'the same create is not repeated',
      );
    case 'unauthorized':
      return invariant(
        key.isRevoked || isClosed(simulation, account.id),
        'a valid key is rejected',
      );
    case 'closed':
      return invariant(isClosed(simulation, account.id), 'an open account is reported as closed');
    case 'insufficient': {
      const { available } = accountOf(simulation.money, account.id).balances[mode];
      // Creates of the same batch may have reserved credits in between.
      const isPlausible = accepted.available < credits && accepted.available >= available;
      return invariant(
        isPlausible,
        `${accepted.available} is not enough for ${credits}: ${available}`,
      );
    }
  }
}

export async function cancel(simulation: MoneySimulation, task: KnownTask): Promise<void> {
  const { allowedEnds: may } = taskOf(simulation.money, task.id);
  task.cancelsOpen += 1;
  may.add('cancelled');
  const response = await callHandler(simulation, cancelAnyTask, { id: task.id });
  task.cancelsOpen -= 1;
  if (!(response instanceof ApiError)) {
    invariant(!task.isCancelled, `${task.id} was cancelled twice`);
    task.isCancelled = true;
  } else if (simulation.upstream.scriptedOutcome(task.prompt).cancel === 'unknown') {
    task.isCancelUnconfirmed = true;
  } else if (task.cancelsOpen === 0 && !task.isCancelled) may.delete('cancelled');
}

/** Makes the database reject the refund of a task. */
export async function breakRefund(simulation: MoneySimulation, { id }: KnownTask): Promise<void> {
  if (taskOf(simulation.money, id).end !== null) return;
  await makeRefundImpossible(simulation.directDb, id);
  taskOf(simulation.money, id).isRefundImpossible = true;
}

export async function resolveRefund(
  simulation: MoneySimulation,
  { id }: KnownTask,
  outcome: 'refunded' | 'written_off',
): Promise<void> {
  const response = await callHandler(simulation, settleRefund, {
    id,
    body: { outcome, note: 'Model' },
  });
  if (!(response instanceof ApiError)) return resolve(simulation.money, id, outcome);
  const { settlement, resolved } = taskOf(simulation.money, id);
  invariant(
    settlement !== 'refund_failed' || resolved !== null,
    `not settled: ${response.message}`,
  );
}

/** `named` includes the operation, as of an upstream that signs its callbacks. */
export type CallbackKind = 'hint' | 'named' | 'forged' | 'unknown';

export async function sendCallback(
  simulation: MoneySimulation,
  { prompt }: KnownTask,
  kind: CallbackKind,
): Promise<void> {
  for (const { provider, reference, operation } of simulation.upstream.startsFor(prompt)) {
    const names = kind === 'named' && operation !== undefined ? { operation } : {};
    const parsedCallback =
      kind === 'forged'
        ? { outcome: 'invalid_signature', detail: 'forged' }
        : { outcome: 'hint', ...names };
    const body = Buffer.from(JSON.stringify(parsedCallback));
    const known = kind === 'unknown' ? `${reference}x` : reference;
    await handleProviderCallback(simulation.lifecycle, {
      provider,
      reference: known,
      headers: {},
      body,
    });
  }
}

const isClosed = (simulation: MoneySimulation, account: string): boolean =>
  accountOf(simulation.money, account).isClosed;

function invariant(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
