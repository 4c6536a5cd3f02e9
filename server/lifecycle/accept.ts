/**
 * The first step: reservation, ledger entry, task and first due work, in one commit.
 *
 * Creates that arrive while the previous ones are being committed are accepted together, each with
 * its own outcome, in the order they came. Accounts are locked first; only then, in a new
 * statement, are idempotency keys looked up, so that a duplicate another process has just committed
 * is seen.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { crashPoint } from '../crash-point.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { enqueue } from '../queue/queue.ts';
import { Refusal } from '../refusal.ts';
import { findRemembered, type RememberedCreate, remember } from '../tasks/idempotency.ts';
import { insertTasks } from '../tasks/rows.ts';
import { newTaskId } from '../tasks/task-id.ts';
import type { Lifecycle } from './context.ts';

export type Create = {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly generation: Generation;
  readonly callbackUrl: string | null;
  readonly credits: number;
  readonly timeoutSeconds: number;
  readonly idempotency: { readonly key: string; readonly requestDigest: string } | null;
  /** Of the request itself; a repeated one leaves the first's on the task. */
  readonly requestId: string;
  /** Whom the playground's tasks name; null for those of keys. */
  readonly createdBy: string | null;
};

export type Accepted = { readonly taskId: string; readonly credits: number };
export type AcceptOutcome =
  | ({ readonly outcome: 'accepted' | 'repeated' } & Accepted)
  | { readonly outcome: 'key_reused' }
  | { readonly outcome: 'insufficient'; readonly available: number }
  | { readonly outcome: 'closed' };

type Decision = {
  readonly create: Create;
  readonly taskId: string;
  readonly outcome: AcceptOutcome;
};

const batchItemsMax = 500;

export type Accept = (create: Create) => Promise<AcceptOutcome>;

/** One batch in flight on the embedded engine, which has one connection; two on PostgreSQL. */
export function createAccept(
  { db }: Pick<Lifecycle, 'db'>,
  {
    itemsMax = batchItemsMax,
    inFlightMax = db.engine === 'embedded' ? 1 : 2,
  }: { readonly itemsMax?: number; readonly inFlightMax?: number } = {},
): Accept {
  const batcher = new Batcher<Create, AcceptOutcome>({
    run: async (creates) => {
      const outcomes = await db.transaction(async (tx) => {
        const decided = await acceptBatch(tx, creates);
        crashPoint('accept.before-commit');
        return decided;
      });
      crashPoint('accept.after-commit');
      return outcomes;
    },
    itemsMax,
    inFlightMax,
  });
  return (create) => batcher.add(create);
}

async function acceptBatch(
  tx: Transaction,
  creates: readonly Create[],
): Promise<readonly AcceptOutcome[]> {
  const books = await openBooks(tx, creates);
  const remembered = await findRemembered(tx, creates.flatMap(ownersOf));
  const decisions = decide(creates, books, remembered);
  const accepted = decisions.filter(({ outcome }) => outcome.outcome === 'accepted');
  if (accepted.length > 0) {
    await insertTasks(
      tx,
      accepted.map(({ create, taskId }) => newTask(create, taskId)),
    );
    await remember(
      tx,
      accepted.flatMap(({ create, taskId }) => rememberedOf(create, taskId)),
    );
    await books.write();
    await enqueue(
      tx,
      accepted.map(({ create: { accountId }, taskId }) => ({ kind: 'submit', accountId, taskId })),
    );
  }
  return decisions.map(({ outcome }) => outcome);
}

/** In arrival order; a key accepted earlier in the same batch counts like one committed before. */
function decide(
  creates: readonly Create[],
  books: Books,
  remembered: readonly (RememberedCreate | null)[],
): Decision[] {
  const known = new Map<string, { requestDigest: string } & Accepted>();
  for (const found of remembered) if (found) known.set(nameOf(found, found.key), found);
  return creates.map((create) => {
    const { idempotency, credits } = create;
    const name = idempotency && nameOf(create, idempotency.key);
    const first = name ? known.get(name) : undefined;
    const taskId = newTaskId(books.openedAt(create).getTime());
    if (first && idempotency) {
      const same = first.requestDigest === idempotency.requestDigest;
      const { taskId: firstId, credits: firstCredits } = first;
      const repeated = { outcome: 'repeated', taskId: firstId, credits: firstCredits } as const;
      return { create, taskId, outcome: same ? repeated : { outcome: 'key_reused' } };
    }
    const reserved = books.reserve({ ...purseOf(create), taskId, credits });
    if (reserved.outcome !== 'reserved') return { create, taskId, outcome: reserved };
    if (name && idempotency) {
      known.set(name, { requestDigest: idempotency.requestDigest, taskId, credits });
    }
    return { create, taskId, outcome: { outcome: 'accepted', taskId, credits } };
  });
}

/** The outcome as the client is answered: what was accepted, or the refusal that says why not. */
export function answerOf(outcome: AcceptOutcome, credits: number): Accepted {
  switch (outcome.outcome) {
    case 'accepted':
    case 'repeated':
      return { taskId: outcome.taskId, credits: outcome.credits };
    case 'key_reused':
      throw keyReused();
    case 'insufficient':
      throw insufficientCredits({ required: credits, available: outcome.available });
    case 'closed':
      throw new Refusal('invalid_api_key', 'The account of this API key is closed.');
  }
}

export const keyReused = (): Refusal =>
  new Refusal(
    'invalid_request',
    'The Idempotency-Key was used for another request within the last 24 hours: use a new key, ' +
      'or repeat the first request unchanged.',
  );

export const insufficientCredits = (figures: { required: number; available: number }): Refusal =>
  new Refusal(
    'insufficient_credits',
    `This task needs ${figures.required} credits and ${figures.available} are available: top up, ` +
      'or ask for a shorter video or a lower resolution.',
    figures,
  );

const purseOf = ({ accountId, mode }: Create) => ({ accountId, mode });

const nameOf = ({ accountId, mode }: { accountId: string; mode: KeyMode }, key: string): string =>
  JSON.stringify([accountId, mode, key]);

const ownersOf = ({ accountId, mode, idempotency }: Create) =>
  idempotency ? [{ accountId, mode, key: idempotency.key }] : [];

const rememberedOf = ({ accountId, mode, credits, idempotency }: Create, taskId: string) =>
  idempotency ? [{ accountId, mode, credits, taskId, ...idempotency }] : [];

const newTask = ({ idempotency: _, ...create }: Create, taskId: string) => ({
  ...create,
  model: create.generation.model,
  id: taskId,
});
