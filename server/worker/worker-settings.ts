/** How many jobs a worker runs at once, and how many of one account and receiver. */
import type { ClaimOptions } from '../queue/claim.ts';
import type { QueueName } from '../queue/job.ts';

export type WorkerSettings = {
  /**
   * Concurrent jobs per queue. Submits mostly wait for others; polls and webhooks do nothing else.
   */
  readonly slots: Record<QueueName, number>;
  readonly perAccount: Record<QueueName, number>;
  readonly webhooksPerReceiver: number;
  /** How long `stop` waits for running stages before it releases their jobs. */
  readonly drainMs: number;
  /** No other process uses the database: at the start every lease belongs to a dead worker. */
  readonly isOnlyProcess: boolean;
};

export const defaultWorkerSettings: WorkerSettings = {
  // Polls: as many as a provider's largest list call covers, and as many again whose results are
  // being collected (Decision 0003).
  slots: { default: 64, polls: 1024, webhooks: 512 },
  // A receiver that hangs holds a webhook for 15 s. Four of them delay the account's other
  // webhooks, and 16 such accounts delay other accounts.
  // Half of the submits: starts at a provider that hangs must not stop other accounts.
  perAccount: { default: 32, polls: 1024, webhooks: 32 },
  webhooksPerReceiver: 8,
  drainMs: 20_000,
  isOnlyProcess: false,
};

/** The limits per account and per receiver in a queue. */
export function claimLimits(
  queue: QueueName,
  { perAccount, webhooksPerReceiver }: WorkerSettings,
): Pick<ClaimOptions, 'perAccountMax' | 'perReceiverMax'> {
  const perAccountMax = perAccount[queue];
  return {
    perAccountMax,
    perReceiverMax: queue === 'webhooks' ? webhooksPerReceiver : perAccountMax,
  };
}
