/** Accounts, keys and creates for tests: valid by default, so a test states only what matters. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { createAccount } from '../../server/accounts/account.ts';
import { createApiKey } from '../../server/accounts/keys/api-key.ts';
import { keyPepper } from '../../server/accounts/keys/api-key-format.ts';
import type { Database } from '../../server/database/database.ts';
import { createBalances, lockBalances } from '../../server/ledger/ledger.ts';
import type { CreateTask } from '../../server/lifecycle/create/accept-decision.ts';
import { sampleGeneration } from './conformance-fixture.ts';

export const testSecret = 'a secret that only tests know, 32 long';

export type SeededAccount = {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
};

export async function seedAccount(
  db: Database,
  { credits = 0, mode = 'live' }: { credits?: number; mode?: KeyMode } = {},
): Promise<SeededAccount> {
  return await db.transaction(async (tx) => {
    const { id: accountId } = await createAccount(tx, { name: 'Test' });
    await createBalances(tx, accountId);
    const ledger = await lockBalances(tx, [{ accountId, mode }]);
    if (credits > 0) {
      ledger.grant({ accountId, mode }, { amount: credits, note: null, reference: null });
    }
    await ledger.flush();
    const pepper = keyPepper(testSecret);
    const { id: keyId, key } = await createApiKey(tx, { pepper, accountId, mode, name: 'Test' });
    return { accountId, keyId, key };
  });
}

export function generationOf(changes: Partial<Generation> = {}): Generation {
  const cheapest = { model: 'vidgen-2-0-mini', resolution: '480p' } as const;
  return sampleGeneration({ ...cheapest, prompt: 'a paper boat on a lake', ...changes });
}

export function createOf(account: SeededAccount, changes: Partial<CreateTask> = {}): CreateTask {
  return {
    accountId: account.accountId,
    keyId: account.keyId,
    mode: 'live',
    generation: generationOf(),
    callbackUrl: null,
    metadata: null,
    credits: 5,
    timeoutSeconds: 3600,
    idempotency: null,
    requestRef: null,
    isDisconnected: () => false,
    requestId: 'req_ofATest',
    createdBy: null,
    ...changes,
  };
}
