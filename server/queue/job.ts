/** The kinds of due work there are, and what a claimed piece of it carries. */
export type JobKind = 'submit' | 'poll' | 'notify' | 'expire';

/**
 * Lanes do not wait for each other. Calls to receivers have one of their own: a slow receiver never
 * delays a generation. So have looks: thousands of them never delay a submit, nor it them.
 */
export const queueOf = {
  submit: 'work',
  poll: 'looks',
  notify: 'calls',
  expire: 'work',
} as const satisfies Record<JobKind, string>;
export type QueueName = (typeof queueOf)[JobKind];

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
  /** Grows with each claim. Whoever writes the outcome must still hold it. */
  readonly fence: number;
  /** Runs of this kind that ended in a retry. */
  readonly attempts: number;
  /** Claims in a row that ended with the death of their worker. */
  readonly crashCount: number;
};

/** A crashed worker's jobs are claimable after this long; a live worker renews every third of it. */
export const leaseSeconds = 15;
/** A job that killed its worker this many times in a row is not run a further time. */
export const crashCountMax = 3;
/** From so many deaths on it may be the cause of them, and has one chance left. */
export const isolateAfterCrashes = crashCountMax - 1;

/** Another worker has the job now, or it is gone: whatever this one was about to write is void. */
export class LeaseLost extends Error {
  constructor(job: Job) {
    super(`job ${job.id} (${job.kind} of ${job.taskId}) is no longer ours`);
    this.name = 'LeaseLost';
  }
}
