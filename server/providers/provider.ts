/**
 * What every provider can do. An adapter translates between vidgen and one upstream; the lifecycle
 * polls, retries, times out and decides about money.
 *
 * Everything an upstream can respond is a value, never an exception. An adapter throws only for a
 * bug; the lifecycle then treats a `start` as `unknown` and a `status` as `pending`.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ModelArkTaskType } from '@vidgen/contract/modelark.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { SaveInto } from '../egress/save-stream.ts';

/**
 * How a start whose response was lost is kept from being paid for twice.
 * `idempotency-key`: the upstream drops a second start with the same reference, so it is repeated.
 * `look-up`: `find` says for certain whether the upstream has the reference; repeated if not.
 * `none`: never repeated; the task fails at its deadline.
 */
export type Protection = 'idempotency-key' | 'look-up' | 'none';

export type StartRequest = {
  /** Our unguessable id of the attempt, the same for every retry of it. */
  readonly reference: string;
  readonly taskId: string;
  /**
   * A digest of the account, the same for all of its tasks, for upstreams that ask for a stable
   * identifier of the end user. 64 hexadecimal digits that reveal nothing about the account.
   */
  readonly endUser: string;
  readonly generation: Generation;
  /** What a client of ModelArk's API named; for upstreams with this API. */
  readonly taskType?: ModelArkTaskType;
  /** The seconds of output that were paid for; null or absent unless it is an edit. */
  readonly pricedSeconds?: number | null;
  /** Until the task times out, for upstreams that accept a deadline. */
  readonly secondsLeft: number;
  /** For provider callbacks; absent when this installation has no public URL. */
  readonly providerCallbackUrl?: string;
};

/** Why a provider could not make a task. Customers never see the upstream's own message. */
export type ProviderFailure = {
  /** `rejected`: the content was rejected. `material`: a referenced file could not be used. */
  readonly reason: 'failed' | 'rejected' | 'material' | 'timed_out';
  /** With `rejected`, when the upstream says it. */
  readonly rejectedPart?: RejectedPart;
  /** The upstream's code and message, for logs and admins. */
  readonly detail: string;
};

export type StartResult =
  | { readonly outcome: 'accepted'; readonly operation: string }
  /** Proof that nothing was created. `canFailOver`: another provider may succeed. */
  | ({ readonly outcome: 'rejected'; readonly canFailOver: boolean } & ProviderFailure)
  /** Proof that nothing was created, and the same provider may succeed later. */
  | {
      readonly outcome: 'throttled';
      readonly retryAfterSeconds: number;
      readonly detail: string;
      /**
       * No connection could be made. Counts against the provider's health; a rate limit does not.
       */
      readonly unreachable?: boolean;
      /** It has no room for any task of the model; otherwise the reason may be this task's. */
      readonly busy?: boolean;
    }
  /** The response was lost, so it may have been created. `protection` decides what follows. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/**
 * Where a finished file is: at a public URL, downloaded through the egress rules; in a local file,
 * which the caller moves or deletes; or behind the API key, which only the adapter may send.
 */
export type ResultSource =
  | { readonly url: string }
  | { readonly file: string }
  | { readonly download: DownloadFile };

/**
 * Saves the file with `saveStream`, or returns why not; then the caller deletes what was saved.
 * `redirectUrl`: the upstream has the file on another host, where the caller downloads it through
 * the egress rules and without the API key.
 */
export type DownloadFile = (options: {
  readonly into: SaveInto;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}) => Promise<
  | { readonly saved: true; readonly bytes: number }
  | { readonly saved: false; readonly detail: string; readonly redirectUrl?: string }
>;

/**
 * What the upstream says that an operation is billed: an amount of money, by default in the
 * currency of the provider's `costs`, or units or seconds that `costs` has a price for.
 */
export type ReportedCost =
  | { readonly amount: number; readonly currency?: string }
  | { readonly units: number; readonly unit: 'token' | 'computeSecond' | 'unit' }
  | { readonly seconds: number; readonly inputSeconds?: number | undefined };

export type StatusResult =
  /** Also for an unknown status: that is an alert, never a failure. */
  | {
      readonly outcome: 'pending';
      /** Absent: as the age of the task asks for. */
      readonly pollAfterSeconds?: number | undefined;
      /**
       * Nothing was read: too many other polls wait for their turn. `pollAfterSeconds` is when this
       * one may have it.
       */
      readonly isUnread?: boolean;
      /** From 0 to 1. */
      readonly progress?: number | undefined;
      readonly alert?: string;
    }
  | {
      readonly outcome: 'completed';
      readonly video: ResultSource;
      readonly lastFrame?: ResultSource;
      /** Length of the video as the upstream reports it; shown to admins, never billed. */
      readonly outputSeconds?: number;
      readonly cost?: ReportedCost | undefined;
    }
  /** `canFailOver`: refused before anything was made or billed, so another may succeed. */
  | ({
      readonly outcome: 'failed';
      readonly canFailOver?: true;
      readonly cost?: ReportedCost | undefined;
    } & ProviderFailure)
  /** The upstream does not know the operation any more; the task fails and is refunded. */
  | { readonly outcome: 'lost'; readonly detail: string };

/**
 * `stopped`: the upstream confirms that it neither continues nor bills. `running`: it continues and
 * will be billed. `ended`: it has ended or is not known, so poll its status. Only `stopped` is a
 * successful cancel.
 */
export type CancelResult = 'stopped' | 'running' | 'ended' | 'unknown';

/** What decides when a poll has its turn, where an upstream limits reads. */
export type PollTurn = {
  /** Aborted when the lease is lost, or shortly after the deadline of the task. */
  readonly signal: AbortSignal;
  /** Since the provider accepted the task. */
  readonly ageSeconds: number;
  /** The task has reached its deadline: what this poll reads decides how it ends. */
  readonly isLast: boolean;
};

export type StatusRequest = PollTurn & {
  readonly operation: string;
  readonly reference: string;
  /** For the fair order of preview renders; never sent to an upstream. */
  readonly accountId: string;
  readonly taskId: string;
  readonly generation: Generation;
  /** The seconds of output that were paid for; null or absent unless it is an edit. */
  readonly pricedSeconds?: number | null;
  /**
   * Reports the progress of a long poll, from 0 to 1, any number of times before it returns. Shown
   * to admins only; a short poll returns its progress instead.
   */
  readonly onProgress: (share: number) => void;
};

/** For upstreams that show only a short mark of the reference, which two tasks can share. */
export type FindAccount = {
  readonly endUser: string;
  /** Whether the operation is known to belong to another task. */
  readonly belongsToOtherTask: (operation: string) => Promise<boolean>;
};

export type FindResult =
  | { readonly outcome: 'found'; readonly operation: string }
  /** Proof that the reference was never accepted and will not be, so a new start is safe. */
  | { readonly outcome: 'absent' }
  /** Cannot be decided now: find again later, and do not start. */
  | { readonly outcome: 'unknown'; readonly detail: string };

export type CallbackRequest = {
  readonly reference: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unparsed: signatures cover these bytes. */
  readonly body: Buffer;
};

export type CallbackResult =
  /** Something may have changed, for `operation` when the callback names it. */
  | { readonly outcome: 'hint'; readonly operation?: string }
  /** Not from the upstream, or too old; it has no effect. */
  | { readonly outcome: 'invalid_signature'; readonly detail: string };

export interface Provider {
  readonly name: string;
  /** The name of its credential. A task is polled with the credential it was started with. */
  readonly credential?: string;
  readonly protection: Protection;
  /** The models it is configured for; routes skip it for others. Absent: all models. */
  readonly models?: readonly ModelName[];
  /**
   * Returns why it cannot make a generation, as a message for the customer, or null. Absent: it can
   * make all.
   */
  unsupportedReason?(generation: Generation): string | null;
  /** The image formats that it takes, such as `HEIC`. Absent: it decides itself. */
  readonly imageFormats?: readonly string[];
  /** An edit is cut to `pricedSeconds`, whatever its source has become. */
  readonly cutsToPrice?: boolean;
  /** It downloads materials in this process, so their URLs need not be public. */
  readonly downloadsMaterials?: boolean;
  /**
   * Its generation runs inside `status`, so the deadline aborts that call, and no poll follows: it
   * would begin the generation again.
   */
  readonly generatesDuringPoll?: boolean;
  /** How many tasks it has room for now, with those it has; absent if it does not know. */
  capacity?(): number;
  /** How long it usually takes; a task with less time left is not sent. */
  typicalSeconds(generation: Generation): number;
  start(request: StartRequest): Promise<StartResult>;
  status(request: StatusRequest): Promise<StatusResult>;
  cancel(operation: string): Promise<CancelResult>;
  /**
   * Finds the operation of a reference; present with protection `look-up` only. `secondsSinceStart`
   * counts from the last start with a lost response: the upstream may still be creating it, so
   * `absent` needs some time.
   */
  find?(
    reference: string,
    generation: Generation,
    secondsSinceStart: number,
    account?: FindAccount,
  ): Promise<FindResult>;
  /**
   * Reads a callback. Absent when callbacks carry neither a signature nor an operation: then the
   * unguessable reference in the URL authenticates them, and they only trigger the next poll.
   */
  readCallback?(request: CallbackRequest): Promise<CallbackResult>;
  /**
   * All signed callbacks arrive at one URL, `/callbacks/<name>`, which an admin configured at the
   * upstream. They have no reference; the operation they name identifies the task.
   */
  readonly sharesCallbackUrl?: boolean;
  /** Closes sockets and processes; no method may be called afterwards. */
  close?(): Promise<void>;
}
