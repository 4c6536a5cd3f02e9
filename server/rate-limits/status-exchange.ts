/**
 * How processes tell each other what they admitted: one row a process a second, read by the others.
 * When the database is away each process goes on with what it knows, and catches up afterwards.
 */
import { randomUUID } from 'node:crypto';
import { every } from '../clock.ts';
import type { Queryable } from '../database/database.ts';

const roundMs = 1000;
/** A row becomes readable a little after the moment it bears; later than this, it is missed. */
const lateMsMax = 5000;

export type StatusExchangeOptions = {
  readonly windowMs: number;
  readonly elapsed: () => number;
  /** Hands over, by key, what was admitted here since it was last called. */
  take(): ReadonlyMap<string, number>;
  /** Is told what another process admitted, each of it once. */
  hear(keyId: string, report: { admitted: number; atMs: number }): void;
};

/** What was admitted here between two rounds, until the database has it. */
type Round = {
  readonly number: number;
  readonly takenMs: number;
  readonly admitted: ReadonlyMap<string, number>;
};

type Heard = {
  readonly processId: string;
  readonly round: number;
  readonly admitted: Readonly<Record<string, number>>;
  readonly ageMs: number;
};

export class StatusExchange {
  readonly #db: Queryable;
  readonly #options: StatusExchangeOptions;
  readonly #processId = randomUUID();
  /** The last round heard of each other process: a process tells its rounds strictly in order. */
  readonly #lastHeard = new Map<string, { readonly round: number; readonly atMs: number }>();
  #untold: Round[] = [];
  #lastRound = 0;
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #timer: { stop(): void } | undefined;

  constructor(db: Queryable, options: StatusExchangeOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Hears of the whole window first, so that a restart does not hand out new places. */
  async start(): Promise<void> {
    await this.#listen();
    this.#timer = every(roundMs, () => this.exchange());
  }

  async exchange(): Promise<void> {
    this.#take();
    try {
      await this.#tell();
      await this.#listen();
    } catch {
      // Status queries go on without the others' figures; the next round brings what was missed.
    }
  }

  /** The last word, so that the successor of this process knows all of it. */
  async close(): Promise<void> {
    this.#timer?.stop();
    await this.exchange();
  }

  /** What has left the window while the database was away interests nobody any more. */
  #take(): void {
    const takenMs = this.#options.elapsed();
    const admitted = this.#options.take();
    this.#untold = this.#untold.filter((round) => round.takenMs > takenMs - this.#options.windowMs);
    if (admitted.size === 0) return;
    this.#lastRound += 1;
    this.#untold.push({ number: this.#lastRound, takenMs, admitted });
  }

  /** Rounds whose answer was lost are told again under their own numbers: they count once. */
  async #tell(): Promise<void> {
    const rounds = this.#untold;
    if (rounds.length === 0) return;
    const nowMs = this.#options.elapsed();
    await this.#db.query(
      `insert into status_rounds (process_id, round, admitted_at, admitted)
       select $1, told.round, clock_timestamp() - told.age_ms * interval '1 millisecond',
              told.admitted::jsonb
         from unnest($2::bigint[], $3::float8[], $4::text[]) as told (round, age_ms, admitted)
       on conflict (process_id, round) do nothing`,
      [
        this.#processId,
        rounds.map(({ number }) => number),
        rounds.map(({ takenMs }) => nowMs - takenMs),
        rounds.map(({ admitted }) => JSON.stringify(Object.fromEntries(admitted))),
      ],
    );
    this.#untold = [];
  }

  async #listen(): Promise<void> {
    const { windowMs, elapsed, hear } = this.#options;
    const askedMs = elapsed();
    const { rows } = await this.#db.query<Heard>(
      `select process_id as "processId", round, admitted,
              (extract(epoch from clock_timestamp() - admitted_at) * 1000)::float8 as "ageMs"
         from status_rounds
        where told_at > clock_timestamp() - $2::float8 * interval '1 millisecond'
          and process_id <> $1
        order by process_id, round`,
      [this.#processId, Math.min(windowMs, askedMs - this.#lastReadMs + lateMsMax)],
    );
    const answeredMs = elapsed();
    for (const { processId, round, admitted, ageMs } of rows) {
      if (round <= (this.#lastHeard.get(processId)?.round ?? 0)) continue;
      this.#lastHeard.set(processId, { round, atMs: answeredMs });
      const atMs = answeredMs - Math.max(0, ageMs);
      for (const [keyId, count] of Object.entries(admitted)) hear(keyId, { admitted: count, atMs });
    }
    this.#lastReadMs = askedMs;
    for (const [processId, { atMs }] of this.#lastHeard) {
      // By then none of its rows can be read again.
      if (atMs < askedMs - windowMs - lateMsMax) this.#lastHeard.delete(processId);
    }
  }
}
