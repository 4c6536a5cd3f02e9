/** The task type and the allowed changes of its status (docs/spec.md 3). */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import type { ModelArkTaskType } from '@vidgen/contract/modelark.ts';
import type { KeyMode, ModelName } from '@vidgen/contract/models.ts';
import type { BillingStatus, FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';

/**
 * `queued`: accepted; `submit` moves the task on once a provider has it, or fails it. `generating`:
 * a provider has it; `poll` moves it to `completed` or `failed`. If the worker crashes, the rescuer
 * frees the job and another worker continues. `completed`, `failed`: final. The database rejects
 * every change that is not in this table.
 */
export const nextStatuses = {
  queued: ['generating', 'failed'],
  generating: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>;

/** Where a finished video is stored: storage keys, not URLs. */
export type Result = {
  readonly video: string;
  readonly lastFrame: string | null;
  /** A small image of it; absent or null if none could be made. */
  readonly poster?: string | null | undefined;
  /** Of the video; absent if it was stored by a version that did not sign. */
  readonly credentials?: ContentCredentials | undefined;
};

/** Whether a file was signed, came signed, or is unsigned, and why. */
type ContentCredentials = {
  readonly state: 'signed' | 'kept' | 'unsigned';
  readonly detail?: string | undefined;
};

/** The storage keys of all its files. */
export const resultKeys = ({ video, lastFrame, poster }: Result): readonly string[] =>
  [video, lastFrame, poster].filter((key) => key !== null && key !== undefined);

export type Task = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly status: TaskStatus;
  /** Leaves `reserved` once; `refund_failed` becomes `refunded` if an admin decides so. */
  readonly billingStatus: BillingStatus;
  readonly failedReason: FailedReason | null;
  /** The rejected part of the content, if the provider reports it. */
  readonly rejectedPart: RejectedPart | null;
  readonly model: ModelName;
  readonly generation: Generation;
  readonly callbackUrl: string | null;
  /** The customer's own pairs; null if create was sent none. */
  readonly metadata: Metadata | null;
  readonly credits: number;
  readonly createdAt: Date;
  readonly deadlineAt: Date;
  readonly submittedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly result: Result | null;
  readonly expiresAt: Date | null;
  /** By the database's clock when the row was read. */
  readonly expired: boolean;
  /** Until the deadline, by the database's clock when the row was read; negative after it. */
  readonly secondsLeft: number;
  readonly progress: number | null;
  readonly refundOutcome: 'refunded' | 'written_off' | null;
  /** The `x-request-id` of the response to the create. */
  readonly requestId: string | null;
  /** The person who created it in the playground; null for API keys. */
  readonly createdBy: string | null;
  /** The seconds of output that the credits pay for; null unless it is an edit. */
  readonly pricedSeconds: number | null;
  /** Of its images, such as `HEIC`; null where it is not known. Empty if they were not probed. */
  readonly imageFormats: readonly (string | null)[];
  /** Null if it was created through our own API. */
  readonly dialect: TaskDialect | null;
};

/** The API of another vendor that a task was created through, with what only its clients send. */
export type TaskDialect = {
  readonly name: 'modelark' | 'replicate';
  /** The model as the client named it: ours, or an alias. */
  readonly model: string;
  readonly executionExpiresAfter?: number | undefined;
  readonly priority?: number | undefined;
  readonly safetyIdentifier?: string | undefined;
  /** Its `omni_reference_task_type`: what the references are for. */
  readonly taskType?: ModelArkTaskType | undefined;
};

/** What a status response needs of a task: half of its columns, and no request to parse. */
export type TaskState = Pick<
  Task,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'metadata'
  | 'progress'
  | 'mode'
  | 'status'
  | 'billingStatus'
  | 'failedReason'
  | 'model'
  | 'credits'
  | 'createdAt'
  | 'submittedAt'
  | 'finishedAt'
  | 'result'
  | 'expiresAt'
  | 'expired'
>;

export const isFinal = ({ status }: Pick<Task, 'status'>): boolean =>
  nextStatuses[status].length === 0;

/** Names a task and the balance that pays for it. */
export const taskRef = ({ id: taskId, accountId, mode }: Task) => ({ taskId, accountId, mode });
