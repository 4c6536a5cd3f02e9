/**
 * What a generator must be able to do for us. An adapter translates; the lifecycle polls, retries,
 * times out and decides about money.
 *
 * Answers are values, never exceptions, for everything an upstream can say. An adapter may throw
 * only for a bug; the lifecycle then treats a `start` as `unknown` and a `status` as `pending`.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ModelName } from '@vidgen/contract/models.ts';

/**
 * What protects a submit whose answer was lost from being paid for twice.
 * `idempotency-key`: the upstream drops a second start with the same reference: start again.
 * `look-up`: `find` tells for certain whether the upstream has our reference: look, then start.
 * `none`: never start again; the task fails at its deadline.
 */
export type Protection = 'idempotency-key' | 'look-up' | 'none';

export type StartRequest = {
  /** Ours, unguessable, stable over retries of one attempt: the key or what is looked up. */
  readonly reference: string;
  readonly taskId: string;
  readonly generation: Generation;
  /** When the customer's task times out; told to upstreams that take a deadline. */
  readonly secondsLeft: number;
  /** Where the upstream may call when something changed; absent when we cannot be reached. */
  readonly providerCallbackUrl?: string;
};

/** Why a provider let a task down, in our words; the upstream's wording never leaves the log. */
export type ProviderFailure = {
  /** `rejected`: the content was refused. `material`: a referenced file could not be used. */
  readonly reason: 'failed' | 'rejected' | 'material' | 'timed_out';
  /** With `rejected`, where the upstream tells: what of the content was refused. */
  readonly rejectedPart?: RejectedPart;
  /** For the operator's eyes: the upstream's code and words. */
  readonly detail: string;
};

export type StartResult =
  | { readonly outcome: 'accepted'; readonly operation: string }
  /** Proof that nothing was created. Another may be tried when the content is not at fault. */
  | ({ readonly outcome: 'refused'; readonly canFailOver: boolean } & ProviderFailure)
  /** Proof that nothing was created, and it is worth asking the same provider later. */
  | {
      readonly outcome: 'throttled';
      readonly retryAfterSeconds: number;
      readonly detail: string;
      /** No connection could be made: a sign of ill health, where "not so fast" is none. */
      readonly unreachable?: boolean;
    }
  /** No proof either way: the answer was lost. What is declared as protection decides. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/**
 * Where a finished file is: a public address to fetch through the guard, a file to take over (and
 * then delete), or something behind the upstream's own door, which only the adapter can fetch.
 */
export type ResultSource =
  | { readonly url: string }
  | { readonly file: string }
  | { readonly download: DownloadFile };

/** Saves it into the file, or says why not. */
export type DownloadFile = (options: {
  readonly into: string;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}) => Promise<{ readonly saved: true } | { readonly saved: false; readonly detail: string }>;

export type StatusResult =
  /** Also the answer for any status not known to us: it is an alert, never a failure. */
  | {
      readonly outcome: 'pending';
      readonly pollAfterSeconds: number;
      /** The adapter has spread its looks over time already: nothing is added to the wait. */
      readonly isJittered?: boolean;
      /** From 0 to 1, where the upstream tells. */
      readonly progress?: number;
      readonly alert?: string;
    }
  | {
      readonly outcome: 'completed';
      readonly video: ResultSource;
      readonly lastFrame?: ResultSource;
      /** Seconds of output, where the upstream tells: shown to the operator, never billed. */
      readonly outputSeconds?: number;
    }
  | ({ readonly outcome: 'failed' } & ProviderFailure)
  /** The upstream does not know the operation any more: the task fails and is refunded. */
  | { readonly outcome: 'lost'; readonly detail: string };

/**
 * `stopped`: the upstream confirms it will neither go on nor bill. Anything else is not a cancel.
 * `running`: it goes on and will be billed. `gone`: it has ended or is not known; ask `status`.
 */
export type CancelResult = 'stopped' | 'running' | 'ended' | 'unknown';

export type StatusRequest = {
  readonly operation: string;
  readonly reference: string;
  /** Whose it is: for a provider that has to choose whom to serve first. No upstream is told. */
  readonly accountId: string;
  readonly taskId: string;
  readonly generation: Generation;
  /** Fires when the lease is lost, the task was cancelled, or its deadline has come. */
  readonly signal: AbortSignal;
  /**
   * For a look that takes long: how far it has come, from 0 to 1, as often as the adapter likes and
   * never after the answer. Shown to operators only; a look that is short tells it in its answer.
   */
  readonly onProgress: (share: number) => void;
};

export type FindResult =
  | { readonly outcome: 'found'; readonly operation: string }
  /** Proof that our reference was never accepted and no longer can be: a new start is safe. */
  | { readonly outcome: 'absent' }
  /** Not to be told, or not yet: ask again later, never start. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** A request to the address we gave an upstream for its callbacks, as it came. */
export type CallbackRequest = {
  readonly reference: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unparsed: signatures are over these very bytes. */
  readonly body: Buffer;
};

export type CallbackResult =
  /** Something may have changed; `operation` where the upstream names the one it speaks of. */
  | { readonly outcome: 'hint'; readonly operation?: string }
  /** Not from the upstream, or too old to believe: without effect. */
  | { readonly outcome: 'invalid_signature'; readonly detail: string };

export interface Provider {
  readonly name: string;
  /**
   * The name of the credential it works with; a task is looked after with the one it began with.
   */
  readonly credential?: string;
  readonly protection: Protection;
  /** Those it is configured for; a route that names it for another passes it over. Absent: all. */
  readonly models?: readonly ModelName[];
  /** Why it cannot make this, in words for the customer; null when it can. Absent: it can all. */
  unsupportedReason?(generation: Generation): string | null;
  /** What this provider usually needs for it; a task with less time left is not sent. */
  typicalSeconds(generation: Generation): number;
  start(request: StartRequest): Promise<StartResult>;
  status(request: StatusRequest): Promise<StatusResult>;
  cancel(operation: string): Promise<CancelResult>;
  /**
   * Only with protection `look-up`: the operation started under our reference. `secondsSinceStart`
   * counts from the last start whose answer was lost: an upstream may go on creating for a while
   * after the connection broke, so soon after it nobody can say `absent`.
   */
  find?(reference: string, generation: Generation, secondsSinceStart: number): Promise<FindResult>;
  /**
   * Reads a callback. Absent where the upstream signs nothing: then whoever knows the unguessable
   * reference is believed to be it, and only ever hurries the next look.
   */
  readCallback?(request: CallbackRequest): Promise<CallbackResult>;
  /**
   * Its signed callbacks all come to one address, `/callbacks/<name>`, which an operator gave the
   * upstream: there is no reference then, and the operation they name says whose they are.
   */
  readonly sharesCallbackUrl?: boolean;
  /** Lets go of sockets and processes; nothing may be asked of the provider afterwards. */
  close?(): Promise<void>;
}
