/** The kinds of jobs, and what a claimed job carries. */
export type JobKind = 'submit' | 'poll' | 'notify' | 'expire';

/**
 * Queues do not wait for each other. Webhooks have their own: a slow receiver never delays a
 * generation. So have polls: thousands of them never delay a submit.
 */
export const queueOf = {
  submit: 'default',
  poll: 'polls',
  notify: 'webhooks',
  expire: 'default',
} as const satisfies Record<JobKind, string>;
export type QueueName = (typeof queueOf)[JobKind];
/** In the order in which a worker claims from them. */
export const queueNames = ['default', 'polls', 'webhooks'] as const satisfies readonly QueueName[];

export type NewJob = {
  readonly accountId: string;
  readonly taskId: string;
  /** From now, by the database's clock; 0 by default. */
  readonly delaySeconds?: number;
} & (
  | { readonly kind: Exclude<JobKind, 'notify'> }
  /** Webhooks to a slow receiver wait for each other, not for those to other receivers. */
  | { readonly kind: 'notify'; readonly deliveryId: string; readonly receiverUrl: string }
);

export type Job = {
  readonly id: number;
  readonly kind: JobKind;
  readonly accountId: string;
  readonly taskId: string;
  readonly deliveryId: string | null;
  /** The fencing token: grows with every claim, and is required to write the outcome. */
  readonly fence: number;
  /** It has waited for capacity at a provider, and it is its turn. */
  readonly wasWaiting: boolean;
  /** Runs of this kind that ended in a retry. */
  readonly attempts: number;
  /** Consecutive claims that ended with a crash of their worker. */
  readonly crashCount: number;
};

/** How long a crashed worker's jobs wait at most; a live worker renews every third of it. */
export const leaseSeconds = 15;
/** A job that crashed its worker this often in a row is not run again. */
export const crashCountMax = 3;
/** From this many crashes on, the job may be their cause: it is isolated for its last run. */
export const isolateAfterCrashes = crashCountMax - 1;

/**
 * Another worker has claimed the job, or it was deleted: this worker must not write its outcome.
 */
export class LeaseLost extends Error {
  constructor(job: Job) {
    super(`job ${job.id} (${job.kind} of ${job.taskId}) is no longer leased to this worker`);
    this.name = 'LeaseLost';
  }
}
