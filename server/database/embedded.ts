/**
 * The embedded engine: PGlite in a thread of its own, so that a query never blocks the event loop.
 * One connection: a transaction holds everyone else's statements back until it has ended.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Database, Queryable, Row, Rows, Transaction } from './database.ts';
import type { Answer, Ask, FromEngine, ToEngine } from './embedded-worker.ts';
import { runTransaction } from './transaction.ts';

type Waiting = { resolve(rows: Rows): void; reject(error: Error): void };

export type Embedded = Database & {
  /** The whole database as one file (gzipped), to start others from. */
  dump(): Promise<Uint8Array>;
};

/** Without a folder the database lives in memory. `dump` is a file to start a new database from. */
export async function openEmbedded(
  folder?: string,
  { dump }: { readonly dump?: string } = {},
): Promise<Embedded> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData: { folder, dump },
  });
  const [first] = (await once(worker, 'message')) as [FromEngine];
  if ('failed' in first) {
    await worker.terminate();
    throw new Error(`the embedded database did not open: ${first.failed}`);
  }
  return new EmbeddedEngine(worker);
}

class EmbeddedEngine implements Embedded {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  readonly #turns: (() => void)[] = [];
  #held: Ask[] = [];
  #tick: Ask[] = [];
  #inTransaction = false;
  #lastId = 0;
  #stopped: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromEngine) => this.#hear(message));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('the embedded database has stopped')));
  }

  query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<Rows<R>> {
    const { ask, answered } = this.#enlist<R>(text, values);
    if (this.#inTransaction) this.#held.push(ask);
    else this.#post(ask);
    return answered;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#inTransaction) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#inTransaction = true;
    const connection: Queryable = {
      query: (text, values = []) => {
        const { ask, answered } = this.#enlist(text, values);
        this.#post(ask);
        return answered as Promise<never>;
      },
    };
    try {
      return await runTransaction(connection, work);
    } finally {
      this.#endTurn();
    }
  }

  async listen(channel: string, heard: (payload: string) => void) {
    let those = this.#listeners.get(channel);
    if (!those) {
      those = new Set();
      this.#listeners.set(channel, those);
      const listening = this.#awaitMessage((message) => 'listening' in message);
      this.#send({ listen: channel });
      await listening;
    }
    those.add(heard);
    return { stop: async () => void those.delete(heard) };
  }

  async dump(): Promise<Uint8Array> {
    const dumped = this.#awaitMessage((message) => 'dumped' in message);
    this.#send({ dump: true });
    const message = await dumped;
    return new Uint8Array('dumped' in message ? message.dumped : new ArrayBuffer(0));
  }

  async close(): Promise<void> {
    if (this.#stopped) return;
    this.#send({ close: true });
    await once(this.#worker, 'exit');
  }

  #enlist<R extends Row>(text: string, values: readonly unknown[]) {
    const ask: Ask = { id: ++this.#lastId, text, values };
    const answered = new Promise<Rows<R>>((resolve, reject) => {
      if (this.#stopped) reject(this.#stopped);
      else this.#waiting.set(ask.id, { resolve: resolve as Waiting['resolve'], reject });
    });
    return { ask, answered };
  }

  /**
   * Statements asked for in one tick travel as one message: a message costs more than most of them.
   */
  #post(ask: Ask): void {
    if (this.#tick.push(ask) > 1) return;
    queueMicrotask(() => {
      this.#send({ asks: this.#tick });
      this.#tick = [];
    });
  }

  /**
   * The next transaction goes first; statements that were held back go before it, in their order.
   */
  #endTurn(): void {
    const held = this.#held;
    this.#held = [];
    for (const ask of held) this.#post(ask);
    const next = this.#turns.shift();
    if (next) next();
    else this.#inTransaction = false;
  }

  #send(message: ToEngine): void {
    if (!this.#stopped) this.#worker.postMessage(message);
  }

  #hear(message: FromEngine): void {
    if ('answers' in message) for (const answer of message.answers) this.#settle(answer);
    if ('heard' in message) {
      const { channel, payload } = message.heard;
      for (const heard of this.#listeners.get(channel) ?? []) heard(payload);
    }
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (!waiting) return;
    if (answer.error) waiting.reject(Object.assign(new Error(answer.error.message), answer.error));
    else waiting.resolve({ rows: answer.rows ?? [], rowCount: answer.rowCount ?? 0 });
  }

  #awaitMessage(wanted: (message: FromEngine) => boolean): Promise<FromEngine> {
    return new Promise((resolve) => {
      const look = (message: FromEngine) => {
        if (!wanted(message)) return;
        this.#worker.off('message', look);
        resolve(message);
      };
      this.#worker.on('message', look);
    });
  }

  #fail(error: Error): void {
    this.#stopped ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
