/**
 * What every webhook reads before it is sent and writes afterwards. Webhooks that do so at the same
 * time share a statement or a commit; an attempt is recorded together with the end or the retry of
 * its job, or not at all.
 */
import { findWebhookSecrets } from '../../accounts/account.ts';
import { Batcher } from '../../database/batcher.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Job, LeaseLost } from '../../queue/job.ts';
import { deleteJobs, finishJobs, type Rescheduling, rescheduleAll } from '../../queue/outcome.ts';
import {
  findOutgoingDeliveries,
  nextRetryDelay,
  type OutgoingDelivery,
  type RecordedAttempt,
  recordAttempts,
} from '../../webhooks/delivery.ts';
import type { SendResult } from '../../webhooks/send.ts';
import { commitLeased, requireLeased, type Written } from './leased-commit.ts';

export type WebhookBatches = {
  /** Throws if the delivery or its account does not exist. */
  find(job: Job): Promise<OutgoingWebhook>;
  /**
   * Returns the state of the delivery, or null if another worker has recorded the attempt.
   * Throws `LeaseLost` if another worker has claimed the job or it was deleted.
   */
  record(sent: SentWebhook): Promise<RecordedAttempt | null>;
};

type OutgoingWebhook = { readonly delivery: OutgoingDelivery; readonly secrets: readonly string[] };

type SentWebhook = {
  readonly job: Job;
  readonly delivery: OutgoingDelivery;
  readonly outcome: SendResult;
};

type WebhookBatchDeps = {
  readonly db: Database;
  readonly settings: { readonly webhookRetryDelaysSeconds: readonly number[] };
};

const limits = { itemsMax: 250, inFlightMax: 2 };

export function createWebhookBatches(deps: WebhookBatchDeps): WebhookBatches {
  const reads = new Batcher<Job, OutgoingWebhook | null>({
    ...limits,
    run: (jobs) => findBatch(deps.db, jobs),
  });
  const records = new Batcher<SentWebhook, RecordedAttempt | null | LeaseLost>({
    ...limits,
    // A second commit at the same time would only make both smaller.
    inFlightMax: 1,
    run: (batch) => commitLeased(deps.db, batch, (tx, sent) => write(deps, tx, sent)),
  });
  return {
    async find(job) {
      const found = await reads.add(job);
      if (!found) throw new Error(`the delivery ${job.deliveryId} or its account does not exist`);
      return found;
    },
    async record(sent) {
      return requireLeased(await records.add(sent));
    },
  };
}

async function findBatch(db: Database, jobs: readonly Job[]) {
  const [deliveries, secrets] = await Promise.all([
    findOutgoingDeliveries(
      db,
      jobs.map(({ deliveryId }) => deliveryId!),
    ),
    findWebhookSecrets(db, [...new Set(jobs.map(({ accountId }) => accountId))]),
  ]);
  const found = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return jobs.map(({ deliveryId, accountId }) => {
    const delivery = found.get(deliveryId!);
    const accountSecrets = secrets.get(accountId);
    return delivery && accountSecrets ? { delivery, secrets: accountSecrets } : null;
  });
}

/** Locks deliveries before jobs, as a replay does: any other order can deadlock. */
async function write(
  { settings: { webhookRetryDelaysSeconds: retryDelaysSeconds } }: WebhookBatchDeps,
  tx: Transaction,
  batch: readonly SentWebhook[],
): Promise<Written<RecordedAttempt | null>> {
  const retriesMax = retryDelaysSeconds.length;
  // A webhook that was delivered has nothing left to do, whether or not its attempt is recorded.
  const delivered = batch.filter(({ outcome }) => outcome.delivered);
  const failed = batch.filter(({ outcome }) => !outcome.delivered);
  const [updated, leased] = await Promise.all([
    recordAttempts(
      tx,
      batch.map(({ delivery, outcome }) => ({ delivery, outcome, retriesMax })),
    ),
    finishJobs(tx, {
      finished: delivered.map(({ job }) => job),
      others: failed.map(({ job }) => job),
    }),
  ]);
  if (leased.size < batch.length) return { leased, outcomes: [] };
  const finished: Job[] = [];
  const retries: Rescheduling[] = [];
  for (const { job, delivery } of failed) {
    const delaySeconds = retryDelay(updated.get(delivery.id), retryDelaysSeconds);
    if (delaySeconds === null) finished.push(job);
    else retries.push({ job, next: { kind: 'notify', delaySeconds, retry: true } });
  }
  await Promise.all([
    finished.length > 0 ? deleteJobs(tx, { jobs: finished, taskIds: [] }) : undefined,
    retries.length > 0 ? rescheduleAll(tx, retries) : undefined,
  ]);
  return { leased, outcomes: batch.map(({ delivery }) => updated.get(delivery.id) ?? null) };
}

const retryDelay = (
  recorded: RecordedAttempt | undefined,
  retryDelaysSeconds: readonly number[],
) =>
  recorded?.status === 'pending'
    ? nextRetryDelay({
        retryDelaysSeconds,
        attemptsMade: recorded.attemptsThisRound,
        random: Math.random,
      })
    : null;
