/** What a task is inside the service, and every change of its status (Spec 3). */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { KeyMode, ModelName } from '@vidgen/contract/models.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';

/**
 * `queued`: accepted; `submit` moves it on once a provider has it, or fails it.
 * `generating`: a provider has it; `poll` moves it to `completed` or `failed`. If its worker dies,
 * the rescuer frees the job and the next worker asks again. `completed`, `failed`: final. The
 * database refuses every move that is not in this table.
 */
export const nextStatuses = {
  queued: ['generating', 'failed'],
  generating: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>;

/** Where a finished video is kept: keys of the storage, not addresses. */
export type Result = {
  readonly video: string;
  readonly lastFrame: string | null;
};

export type Task = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly status: TaskStatus;
  /** Leaves `reserved` once; `refund_failed` becomes `refunded` if an admin decides so. */
  readonly billingStatus: BillingStatus;
  readonly failedReason: FailedReason | null;
  /** What of the content was refused, where the provider tells. */
  readonly rejectedPart: RejectedPart | null;
  readonly model: ModelName;
  readonly generation: Generation;
  readonly callbackUrl: string | null;
  readonly credits: number;
  readonly createdAt: Date;
  readonly deadlineAt: Date;
  readonly submittedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly result: Result | null;
  readonly expiresAt: Date | null;
  /** Decided by the database's clock when the row was read. */
  readonly expired: boolean;
  /** Until the deadline, by the database's clock when the row was read; negative when past it. */
  readonly secondsLeft: number;
  readonly progress: number | null;
  readonly refundOutcome: 'refunded' | 'written_off' | null;
  /** What the answer to its create carried as `x-request-id`. */
  readonly requestId: string | null;
  /** The person who asked for it in the playground; null where a key did. */
  readonly createdBy: string | null;
};

export const isFinal = ({ status }: Pick<Task, 'status'>): boolean =>
  nextStatuses[status].length === 0;

/** Names a task and the balance that pays for it. */
export const taskRef = ({ id: taskId, accountId, mode }: Task) => ({ taskId, accountId, mode });
