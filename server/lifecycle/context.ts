/** What every stage of a task's life works with: the rooms, put together once at the start. */
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/egress.ts';
import type { KeyedSemaphore } from '../egress/keyed-semaphore.ts';
import type { Log } from '../log.ts';
import type { ProviderFailure } from '../providers/provider.ts';
import type { Registry } from '../providers/registry.ts';
import type { Job } from '../queue/job.ts';
import type { NextRun } from '../queue/queue.ts';
import type { Storage } from '../storage/storage.ts';
import type { Attempt, AttemptOutcome } from '../tasks/attempts.ts';
import type { Result, Task } from '../tasks/task.ts';
import type { ResultUrl } from '../tasks/view.ts';

export type LifecycleSettings = {
  readonly taskTimeoutSeconds: number;
  readonly resultTtlSeconds: number;
  readonly webhookRetryDelaysSeconds: readonly number[];
  /** The base of addresses an upstream may call back; null when nobody outside can reach us. */
  readonly providerCallbackBaseUrl: string | null;
  /** Where downloads are put before they are stored. */
  readonly tempFolder: string;
};

/** Without what the stages themselves put together. */
export type LifecycleDeps = Omit<LifecycleContext, 'batched'>;

export type LifecycleContext = {
  readonly db: Database;
  readonly log: Log;
  readonly catalog: Catalog;
  readonly providers: Registry;
  readonly egress: Egress;
  readonly storage: Storage;
  /** For results that are being fetched: when hundreds are due, not all at once. */
  readonly downloadSlots: KeyedSemaphore;
  readonly resultUrl: ResultUrl;
  readonly settings: LifecycleSettings;
  readonly batched: BatchedPollOps;
};

/** What every poll does, done for many in few statements; each has an outcome of its own. */
export type BatchedPollOps = {
  find(taskId: string): Promise<PolledTask>;
  /** Throws `LeaseLost` for a job that is no longer ours, as everything that ends one does. */
  reschedule(job: Job, next: NextRun): Promise<void>;
  complete(completion: TaskCompletion): Promise<void>;
  fail(failure: PolledFailure): Promise<Task | null>;
};

export type PolledTask = { readonly task: Task | null; readonly attempt: Attempt | null };

export type TaskCompletion = {
  readonly taskId: string;
  readonly accountId: string;
  readonly mode: Task['mode'];
  readonly job: Job;
  readonly result: Result;
  /** As the provider tells. */
  readonly outputSeconds?: number | undefined;
};

export type PolledFailure = {
  readonly taskId: string;
  readonly accountId: string;
  readonly mode: Task['mode'];
  readonly job: Job;
  readonly reason: FailedReason;
  readonly rejectedPart?: ProviderFailure['rejectedPart'] | undefined;
  readonly attempt: AttemptOutcome;
  readonly detail?: string | undefined;
  readonly loss?: string | undefined;
};

/** Said when a task's status has changed; heard by whoever waits for it (`?wait=`). */
export const taskChannel = 'vidgen_tasks';
