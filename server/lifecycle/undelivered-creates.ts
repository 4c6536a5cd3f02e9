/**
 * Remembers creates whose response was not received, so that the next identical create of the same
 * API key gets their task instead of a second one. Notes are rows, visible to every process. In the
 * only process, memory tells whether there is one to read, so that other creates need no statement.
 */
import { monotonicMs, sleep, startInterval, unixSeconds } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Log } from '../log.ts';
import {
  listUndelivered,
  noteReceived,
  noteUndelivered,
  parseUndelivered,
  type RequestRef,
  recentSeconds,
  requestName,
  type UndeliveredCreate,
  undeliveredChannel,
} from '../tasks/recent-creates.ts';
import { findTasks } from '../tasks/store.ts';
import type { Task } from '../tasks/task.ts';
import { isTaskId } from '../tasks/task-id.ts';
import { listTasks } from '../tasks/task-list.ts';
import type { IdenticalCreate, UndeliveredRequests } from './repeated-creates.ts';

/** A notification can be lost while the listener reconnects. */
const refreshMs = 5000;
const retryMs = 1000;
/** How long a create can be under way after its client has gone and repeated it. */
const overtakenSeconds = 30;
/** The newest tasks of the key that are compared with it. */
const overtakenMax = 50;
/** Tasks named in failed status requests that are kept until the database can be read. */
const unreadMax = 10_000;
/** Tasks with a retry mark that are kept until their client names them. */
const markedMax = 100_000;

/** Notes the task once it is known; rejects if the database fails, and can be called again. */
type Note = { write(): Promise<void> };

type UndeliveredOptions = {
  readonly isOnlyProcess: boolean;
  readonly log: Log;
  /** The digest of the request that created a task. */
  readonly digestOf: (task: Task) => Promise<string>;
};

export class UndeliveredCreates implements UndeliveredRequests {
  readonly isShared: boolean;
  readonly #db: Database;
  readonly #log: Log;
  readonly #digestOf: UndeliveredOptions['digestOf'];
  /** Notes of this process that are not in the database yet, by request. */
  readonly #unwritten = new Map<string, Set<Note>>();
  /** Times of the latest notes of all processes, by request and by task. */
  readonly #requests = new Map<string, number>();
  readonly #taskIds = new Map<string, number>();
  /** Times of the creates with a retry mark that this process has accepted, by task. */
  readonly #markedTaskIds = new Map<string, number>();
  /** Tasks that are still to be read and noted, with the key they must have. */
  readonly #unread = new Map<string, string | undefined>();
  #reading: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #listening: { stop(): Promise<void> } | undefined;
  #timer: { stop(): void } | undefined;

  /** Use `openUndeliveredCreates`, which also reads the notes of other processes. */
  constructor(db: Database, { log, digestOf, isOnlyProcess }: UndeliveredOptions) {
    this.isShared = !isOnlyProcess;
    this.#db = db;
    this.#log = log;
    this.#digestOf = digestOf;
  }

  /** Whether a task may be waiting to be adopted by this request. */
  has(request: RequestRef): boolean {
    return this.#requests.size > 0 && this.#requests.has(requestName(request));
  }

  /** Whether a task was noted for this request at that time or later. */
  isNotedSince(request: RequestRef, sinceMs: number): boolean {
    return this.has(request) && this.#requests.get(requestName(request))! >= sinceMs;
  }

  /** A process has noted this create. */
  remember(create: UndeliveredCreate): void {
    const nowMs = monotonicMs();
    this.#requests.set(requestName(create), nowMs);
    this.#taskIds.set(create.taskId, nowMs);
  }

  /** A create with a retry mark got this task. Without effect if there are too many. */
  rememberMarked(taskId: string): void {
    if (this.#markedTaskIds.size < markedMax) this.#markedTaskIds.set(taskId, monotonicMs());
  }

  /**
   * Notes that the response to a create was not received. `taskId` is pending while the create is
   * still being accepted, and null if it was not, or was noted when it was.
   */
  add(request: RequestRef, taskId: Promise<string | null>): void {
    const name = requestName(request);
    const notes = this.#unwritten.get(name) ?? new Set();
    let writing: Promise<void> | undefined;
    const note: Note = {
      write: () => {
        // A task that was adopted meanwhile must not be noted a second time.
        writing ??= this.#write(request, taskId).catch((error) => {
          writing = undefined;
          throw error;
        });
        return writing;
      },
    };
    this.#unwritten.set(name, notes.add(note));
    void this.#writeUntilDone(note).finally(() => {
      notes.delete(note);
      if (notes.size === 0) this.#unwritten.delete(name);
    });
  }

  /**
   * Notes that a status request of a task failed, or that its response was not received: the client
   * may start again. Without effect on tasks of other keys than `keyId`, if it is given.
   */
  addTask({ taskId, keyId }: { readonly taskId: string; readonly keyId?: string }): void {
    if (!isTaskId(taskId) || this.#unread.size >= unreadMax) return;
    this.#unread.set(taskId, keyId);
    // Repeated by the timer, and by the next create.
    this.#readTasks().catch(() => {});
  }

  /**
   * Resolves when identical creates of clients that have gone are accepted and noted. Rejects if
   * the database fails: going on could create a second task.
   */
  async whenNoted(request: RequestRef): Promise<void> {
    if (this.#unread.size > 0) await this.#readTasks();
    if (this.#unwritten.size === 0) return;
    const notes = [...(this.#unwritten.get(requestName(request)) ?? [])];
    await Promise.all(notes.map((note) => note.write()));
  }

  /** Whether an identical create of a client that has gone is being accepted or noted. */
  isBeingNoted(request: RequestRef): boolean {
    return this.#unwritten.size > 0 && this.#unwritten.has(requestName(request));
  }

  /**
   * Whether the key has created an identical task moments ago. Reads tasks, so ask only for a
   * client that has gone.
   */
  async hasRecentTask(tx: Transaction, create: IdenticalCreate): Promise<boolean> {
    const { accountId, mode, repetition } = create;
    if (!repetition) return false;
    const createdAfter = unixSeconds() - overtakenSeconds;
    const filter = { accountId, mode, keyId: repetition.keyId, createdAfter, limit: overtakenMax };
    for (const task of await listTasks(tx, filter)) {
      if ((await this.#digestOf(task)) === repetition.requestDigest) return true;
    }
    return false;
  }

  /**
   * The client has named the task, so the response was received. A create that is marked as a retry
   * then repeats another one, which never arrived.
   */
  received(taskId: string): void {
    const isNoted = this.#taskIds.size > 0 && this.#taskIds.delete(taskId);
    const isMarked = this.#markedTaskIds.size > 0 && this.#markedTaskIds.delete(taskId);
    if (!isNoted && !isMarked) return;
    noteReceived(this.#db, taskId).catch((error) =>
      this.#log.warn({ error, taskId }, 'received response not recorded'),
    );
  }

  async open(): Promise<void> {
    await this.#refresh();
    if (this.isShared) {
      this.#listening = await this.#db.listen(undeliveredChannel, (payload) =>
        this.remember(parseUndelivered(payload)),
      );
    }
    this.#timer = startInterval(refreshMs, async () => {
      this.#forgetOld();
      if (this.#unread.size > 0) await this.#readTasks().catch(() => {});
      if (this.isShared) await this.#refresh().catch(() => {});
    });
  }

  /** Waits for notes that are being written. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#timer?.stop();
    await this.#listening?.stop();
    const notes = [...this.#unwritten.values()].flatMap((ofRequest) => [...ofRequest]);
    await Promise.allSettled(notes.map((note) => note.write()));
  }

  async #write(request: RequestRef, pending: Promise<string | null>): Promise<void> {
    const taskId = await pending.catch(() => null);
    if (taskId === null) return;
    const create = { keyId: request.keyId, requestDigest: request.requestDigest, taskId };
    await noteUndelivered(this.#db, create);
    this.remember(create);
    this.#log.info({ taskId }, 'response with task not received');
  }

  #readTasks(): Promise<void> {
    this.#reading ??= this.#readUnread().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readUnread(): Promise<void> {
    while (this.#unread.size > 0) {
      const unread = [...this.#unread];
      const tasks = await findTasks(
        this.#db,
        unread.map(([taskId]) => taskId),
      );
      for (const [at, [taskId, expectedKeyId]] of unread.entries()) {
        this.#unread.delete(taskId);
        const task = tasks[at];
        if (!task || (expectedKeyId !== undefined && task.keyId !== expectedKeyId)) continue;
        const digest = await this.#digestOf(task);
        this.add({ keyId: task.keyId, requestDigest: digest }, Promise.resolve(taskId));
      }
    }
  }

  async #writeUntilDone(note: Note): Promise<void> {
    const untilMs = monotonicMs() + recentSeconds * 1000;
    while (monotonicMs() < untilMs) {
      const isWritten = await note.write().then(
        () => true,
        () => false,
      );
      if (isWritten || this.#closing.signal.aborted) return;
      await sleep(retryMs, this.#closing.signal);
    }
  }

  async #refresh(): Promise<void> {
    for (const create of await listUndelivered(this.#db)) this.remember(create);
  }

  #forgetOld(): void {
    const sinceMs = monotonicMs() - recentSeconds * 1000;
    for (const notes of [this.#requests, this.#taskIds, this.#markedTaskIds]) {
      for (const [name, atMs] of notes) if (atMs < sinceMs) notes.delete(name);
    }
  }
}

export async function openUndeliveredCreates(
  db: Database,
  options: UndeliveredOptions,
): Promise<UndeliveredCreates> {
  const undelivered = new UndeliveredCreates(db, options);
  await undelivered.open();
  return undelivered;
}
