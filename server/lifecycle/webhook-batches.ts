/**
 * What every webhook reads before it is sent and writes afterwards. Webhooks that do so at the same
 * time share a statement or a commit; an attempt is recorded together with the end or the retry of
 * its job, or not at all.
 */
import { findWebhookSecrets } from '../accounts/account.ts';
import { Batcher } from '../database/batcher.ts';
import type { Database, Transaction } from '../database/database.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { deleteJobs, lockJobs, type Rescheduling, rescheduleAll } from '../queue/outcome.ts';
import {
  type Delivery,
  findOutgoingDeliveries,
  type OutgoingDelivery,
  recordAttempts,
} from '../webhooks/delivery.ts';
import { nextRetryDelay } from '../webhooks/schedule.ts';
import type { SendResult } from '../webhooks/send.ts';

export type WebhookBatches = {
  /** Throws if the delivery or its account does not exist. */
  find(job: Job): Promise<OutgoingWebhook>;
  /**
   * Returns the delivery after the attempt, or null if another worker has recorded the attempt.
   * Throws `LeaseLost` if another worker has claimed the job or it was deleted.
   */
  record(sent: SentWebhook): Promise<Delivery | null>;
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
  const records = new Batcher<SentWebhook, Recorded>({
    ...limits,
    run: (batch) => recordBatch(deps, batch),
  });
  return {
    async find(job) {
      const found = await reads.add(job);
      if (!found) throw new Error(`the delivery ${job.deliveryId} or its account does not exist`);
      return found;
    },
    async record(sent) {
      const recorded = await records.add(sent);
      if (recorded === 'lease_lost') throw new LeaseLost(sent.job);
      return recorded;
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
    const [delivery, accountSecrets] = [found.get(deliveryId!), secrets.get(accountId)];
    return delivery && accountSecrets ? { delivery, secrets: accountSecrets } : null;
  });
}

type Recorded = Delivery | null | 'lease_lost';

/** Some jobs are no longer leased to this worker: nothing of the batch may be committed. */
class LeasesLost extends Error {
  readonly leased: ReadonlySet<number>;

  constructor(leased: ReadonlySet<number>) {
    super('leases were lost');
    this.leased = leased;
  }
}

/** Lost leases are rare, so they are found after writing: the others are then written again. */
async function recordBatch(
  deps: WebhookBatchDeps,
  batch: readonly SentWebhook[],
): Promise<Recorded[]> {
  try {
    const updated = await deps.db.transaction((tx) => write(deps, tx, batch));
    return batch.map(({ delivery }) => updated.get(delivery.id) ?? null);
  } catch (error) {
    if (!(error instanceof LeasesLost)) throw error;
    const leased = batch.filter(({ job }) => error.leased.has(job.id));
    const recorded = leased.length > 0 ? await recordBatch(deps, leased) : [];
    return batch.map((sent) => recorded[leased.indexOf(sent)] ?? missing(leased, sent));
  }
}

const missing = (leased: readonly SentWebhook[], sent: SentWebhook) =>
  leased.includes(sent) ? null : 'lease_lost';

/** Locks deliveries before jobs, as a replay does: any other order can deadlock. */
async function write(
  { settings: { webhookRetryDelaysSeconds: retryDelaysSeconds } }: WebhookBatchDeps,
  tx: Transaction,
  batch: readonly SentWebhook[],
): Promise<Map<string, Delivery>> {
  const retriesMax = retryDelaysSeconds.length;
  const jobs = batch.map(({ job }) => job);
  const [updated, leased] = await Promise.all([
    recordAttempts(
      tx,
      batch.map(({ delivery, outcome }) => ({ delivery, outcome, retriesMax })),
    ),
    lockJobs(tx, { jobs, taskIds: [] }),
  ]);
  if (leased.size < jobs.length) throw new LeasesLost(leased);
  const finished: Job[] = [];
  const retries: Rescheduling[] = [];
  for (const { job, delivery } of batch) {
    const delaySeconds = retryDelay(updated.get(delivery.id), retryDelaysSeconds);
    if (delaySeconds === null) finished.push(job);
    else retries.push({ job, next: { kind: 'notify', delaySeconds, retry: true } });
  }
  await Promise.all([
    deleteJobs(tx, { jobs: finished, taskIds: [] }),
    retries.length > 0 ? rescheduleAll(tx, retries) : undefined,
  ]);
  return updated;
}

const retryDelay = (delivery: Delivery | undefined, retryDelaysSeconds: readonly number[]) =>
  delivery?.status === 'pending'
    ? nextRetryDelay({
        retryDelaysSeconds,
        attemptsMade: delivery.attemptsThisRound,
        random: Math.random,
      })
    : null;
