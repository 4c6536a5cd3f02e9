/**
 * Shares admitted counts between processes: each writes one row per second, which the others read.
 * If the database is unreachable, each process continues with what it knows and catches up later.
 */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../database/database.ts';
import { startInterval } from '../process/clock.ts';

const roundMs = 1000;
/** A row becomes visible slightly after its timestamp; if later than this, it is missed. */
const lateMsMax = 5000;

type StatusSyncOptions = {
  readonly windowMs: number;
  readonly elapsed: () => number;
  /** Returns, by key, what was admitted here since the last call. */
  drainUnsent(): ReadonlyMap<string, number>;
  /** Called once for each count that another process admitted. */
  onRemoteCount(keyId: string, report: { allowed: number; atMs: number }): void;
};

/** What was admitted here between two rounds, kept until it is in the database. */
type Round = {
  readonly number: number;
  readonly drainedMs: number;
  readonly allowed: ReadonlyMap<string, number>;
};

type RemoteRound = {
  readonly processId: string;
  readonly round: number;
  readonly allowed: Readonly<Record<string, number>>;
  readonly ageMs: number;
};

export class StatusSync {
  readonly #db: Queryable;
  readonly #options: StatusSyncOptions;
  readonly #processId = randomUUID();
  /**
   * The last round read of each other process; a process publishes its rounds strictly in order.
   */
  readonly #lastSeen = new Map<string, { readonly round: number; readonly atMs: number }>();
  #unsent: Round[] = [];
  #lastRound = 0;
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #timer: { stop(): void } | undefined;

  constructor(db: Queryable, options: StatusSyncOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Reads the whole window first, so that a restart does not reset the limit. */
  async start(): Promise<void> {
    await this.#pull();
    this.#timer = startInterval(roundMs, () => this.sync());
  }

  async sync(): Promise<void> {
    this.#drain();
    try {
      await this.#publish();
      await this.#pull();
    } catch {
      // Status requests continue without the other processes' counts; the next round catches up.
    }
  }

  /** Publishes the last round, so that the next process knows all of it. */
  async close(): Promise<void> {
    this.#timer?.stop();
    await this.sync();
  }

  /** Drops rounds that left the window while the database was unreachable. */
  #drain(): void {
    const drainedMs = this.#options.elapsed();
    const allowed = this.#options.drainUnsent();
    this.#unsent = this.#unsent.filter(
      (round) => round.drainedMs > drainedMs - this.#options.windowMs,
    );
    if (allowed.size === 0) return;
    this.#lastRound += 1;
    this.#unsent.push({ number: this.#lastRound, drainedMs, allowed });
  }

  /**
   * Rounds whose result was lost are published again under the same numbers, so they count once.
   */
  async #publish(): Promise<void> {
    const rounds = this.#unsent;
    if (rounds.length === 0) return;
    const nowMs = this.#options.elapsed();
    await this.#db.query(
      `insert into status_rounds (process_id, round, admitted_at, admitted)
       select $1, sent.round, clock_timestamp() - sent.age_ms * interval '1 millisecond',
              sent.admitted::jsonb
         from unnest($2::bigint[], $3::float8[], $4::text[]) as sent (round, age_ms, admitted)
       on conflict (process_id, round) do nothing`,
      [
        this.#processId,
        rounds.map(({ number }) => number),
        rounds.map(({ drainedMs }) => nowMs - drainedMs),
        rounds.map(({ allowed }) => JSON.stringify(Object.fromEntries(allowed))),
      ],
    );
    this.#unsent = [];
  }

  async #pull(): Promise<void> {
    const { windowMs, elapsed, onRemoteCount } = this.#options;
    const sentMs = elapsed();
    const { rows } = await this.#db.query<RemoteRound>(
      `select process_id as "processId", round, admitted as allowed,
              (extract(epoch from clock_timestamp() - admitted_at) * 1000)::float8 as "ageMs"
         from status_rounds
        where told_at > clock_timestamp() - $2::float8 * interval '1 millisecond'
          and process_id <> $1
        order by process_id, round`,
      [this.#processId, Math.min(windowMs, sentMs - this.#lastReadMs + lateMsMax)],
    );
    const receivedMs = elapsed();
    for (const { processId, round, allowed, ageMs } of rows) {
      if (round <= (this.#lastSeen.get(processId)?.round ?? 0)) continue;
      this.#lastSeen.set(processId, { round, atMs: receivedMs });
      const atMs = receivedMs - Math.max(0, ageMs);
      for (const [keyId, count] of Object.entries(allowed))
        onRemoteCount(keyId, { allowed: count, atMs });
    }
    this.#lastReadMs = sentMs;
    for (const [processId, { atMs }] of this.#lastSeen) {
      // By then none of its rows can be read again.
      if (atMs < sentMs - windowMs - lateMsMax) this.#lastSeen.delete(processId);
    }
  }
}
