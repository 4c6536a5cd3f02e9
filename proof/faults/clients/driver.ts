/** A published client of the service, as the fault test `clients` uses it. */

/** One video that a person wants. */
export type Intent = {
  /** The base URL to give to the client: the service behind a cutting proxy. */
  readonly url: string;
  readonly key: string;
  readonly prompt: string;
  /** Sent with every create of this intent, as the guide of the client shows. */
  readonly idempotencyKey: string;
};

export type ClientDriver = {
  /** As it is shown in the table, with its version. */
  readonly name: string;
  /**
   * The requests whose connection is cut. Those of a client whose status requests are repeated by
   * the client itself, or start a new task, include `GET`.
   */
  readonly cutMethods: readonly ('GET' | 'POST')[];
  /** What the head of a create has, if not every POST is one. */
  readonly createHead?: RegExp;
  /** Why the client cannot run on this machine; null if it can. */
  readonly missing?: () => string | null;
  /**
   * Does what its user does for one video, until the task has completed, with the retries that the
   * client makes by itself. Throws if they were in vain; the user then starts again.
   */
  create(intent: Intent): Promise<void>;
};

/** What every client asks for. */
export const model = 'vidgen-2-0-mini';
export const seconds = 5;
