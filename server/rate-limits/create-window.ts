/**
 * The exact sliding window of creates (docs/spec.md 8): no period of 60 seconds holds more requests
 * than the limit, on any number of processes and across restarts. Times of admitted requests are
 * kept in the database, and only its clock counts.
 */
import type { PreparedStatement, Transaction } from '../database/database.ts';
import { rateWindowSeconds } from './rate-limit-result.ts';

export type WindowRules = { readonly limit: number; readonly windowSeconds: number };

/** The decision on one request. `resetInMs`: until the window has room again. */
export type CreateDecision = {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetInMs: number;
  /** When it is counted, if it is allowed. */
  readonly stampUs: number;
};

/**
 * Stamps and clock in microseconds, the resolution of the database clock, so nothing is rounded.
 */
type Window = { readonly stamps: readonly number[]; readonly nowUs: number };

/** The change of a window: its first `expired` stamps leave and `allowed` new ones enter. */
type WindowUpdate = {
  readonly expired: number;
  readonly allowed: number;
  readonly stampUs: number;
  readonly decisions: readonly CreateDecision[];
};

type WindowChange = Omit<WindowUpdate, 'decisions'> & { readonly keyId: string };

/** Decides requests that arrived together, in the given order; returns one decision per request. */
export async function consumeCreates(
  tx: Transaction,
  keyIds: readonly string[],
  rules: WindowRules,
): Promise<CreateDecision[]> {
  const arrivals = new Map<string, number>();
  for (const keyId of keyIds) arrivals.set(keyId, (arrivals.get(keyId) ?? 0) + 1);
  const names = [...arrivals.keys()];
  // Two statements, sent together: snapshot and clock of the second come after every concurrent
  // batch.
  const [, windows] = await Promise.all([
    tx.query(lockWindowsStatement, [names]),
    readWindows(tx, names),
  ]);

  const decisions = new Map<string, Iterator<CreateDecision>>();
  const changes: WindowChange[] = [];
  for (const [keyId, requests] of arrivals) {
    const update = computeWindowUpdate(windows.get(keyId)!, { ...rules, requests });
    decisions.set(keyId, update.decisions.values());
    if (update.allowed > 0) changes.push({ keyId, ...update });
  }
  if (changes.length > 0) await writeWindows(tx, changes);
  return keyIds.map((keyId) => decisions.get(keyId)!.next().value as CreateDecision);
}

/** Uncounts one request, by its own stamp. */
export async function releaseCreate(
  tx: Transaction,
  { keyId, stampUs }: { readonly keyId: string; readonly stampUs: number },
): Promise<void> {
  await tx.query(
    `update create_windows set stamps = stamps[:array_position(stamps, $2::bigint) - 1]
                                        || stamps[array_position(stamps, $2::bigint) + 1:]
     where key_id = $1 and $2::bigint = any(stamps)`,
    [keyId, stampUs],
  );
}

/** The current state of a window without counting; null if it is empty. */
export async function peekCreates(
  tx: Transaction,
  keyId: string,
  rules: WindowRules,
): Promise<Pick<CreateDecision, 'remaining' | 'resetInMs'> | null> {
  const window = (await readWindows(tx, [keyId])).get(keyId);
  if (!window) return null;
  const { expired } = computeWindowUpdate(window, { ...rules, requests: 0 });
  const live = window.stamps.slice(expired);
  const nextExpiryUs = live[Math.max(0, live.length - rules.limit)];
  if (nextExpiryUs === undefined) return null;
  const resetInMs = (nextExpiryUs + rules.windowSeconds * 1e6 - window.nowUs) / 1000;
  return { remaining: Math.max(0, rules.limit - live.length), resetInMs };
}

/** The rule itself: decides several requests of one key at one time, one after the other. */
export function computeWindowUpdate(
  { stamps, nowUs }: Window,
  { requests, limit, windowSeconds }: WindowRules & { readonly requests: number },
): WindowUpdate {
  const windowUs = windowSeconds * 1e6;
  const newestUs = stamps.at(-1) ?? nowUs;
  // A clock set back slightly must not insert stamps out of order, so time stands still until it
  // has caught up. A clock set back by more than a window makes the stamps meaningless.
  const isClockReset = newestUs - nowUs > windowUs;
  const stampUs = isClockReset ? nowUs : Math.max(nowUs, newestUs);
  const firstLive = stamps.findIndex((stamp) => stamp > stampUs - windowUs);
  const expired = isClockReset || firstLive < 0 ? stamps.length : firstLive;
  const live = stamps.slice(expired);

  const available = Math.max(0, limit - live.length);
  const allowed = Math.min(requests, available);
  // After the batch; a window above a lowered limit has to lose more than its oldest stamp.
  const stampsAfter = [...live, ...Array<number>(allowed).fill(stampUs)];
  const nextExpiryUs = stampsAfter[Math.max(0, stampsAfter.length - limit)]!;
  const resetInMs = (nextExpiryUs + windowUs - nowUs) / 1000;
  const decisions = Array.from({ length: requests }, (_, at) => ({
    allowed: at < allowed,
    remaining: Math.max(0, available - at - 1),
    resetInMs,
    stampUs,
  }));
  return { expired, allowed, stampUs, decisions };
}

/**
 * Inserts missing rows and locks all of them in ID order, so that two batches cannot deadlock. The
 * update never runs, but its conflict locks the row; unlike a select it also works while the sweep
 * deletes the row.
 */
const lockWindowsStatement: PreparedStatement = {
  name: 'lock_windows',
  text: `insert into create_windows (key_id)
         select key_id from unnest($1::text[]) as asked (key_id) order by key_id collate "C"
         on conflict (key_id) do update set stamps = excluded.stamps where false`,
};

async function readWindows(
  tx: Transaction,
  keyIds: readonly string[],
): Promise<Map<string, Window>> {
  type Row = { keyId: string; stamps: string[]; nowUs: number };
  const { rows } = await tx.query<Row>(readWindowsStatement, [keyIds]);
  // Inside an array the driver returns int8 as text.
  return new Map(
    rows.map(({ keyId, stamps, nowUs }) => [keyId, { stamps: stamps.map(Number), nowUs }]),
  );
}

const readWindowsStatement: PreparedStatement = {
  name: 'read_windows',
  text: `select key_id as "keyId", stamps,
           (extract(epoch from clock_timestamp()) * 1000000)::bigint as "nowUs"
         from create_windows where key_id = any($1::text[])`,
};

async function writeWindows(tx: Transaction, changes: readonly WindowChange[]): Promise<void> {
  await tx.query(writeWindowsStatement, [
    changes.map(({ keyId }) => keyId),
    changes.map(({ expired }) => expired),
    changes.map(({ allowed }) => allowed),
    changes.map(({ stampUs }) => stampUs),
  ]);
}

const writeWindowsStatement: PreparedStatement = {
  name: 'write_windows',
  text: `update create_windows as w
         set stamps = w.stamps[change.gone + 1:]
                      || array_fill(change.stamp, array[change.admitted])
         from unnest($1::text[], $2::int[], $3::int[], $4::bigint[])
                as change (key_id, gone, admitted, stamp)
         where w.key_id = change.key_id`,
};

/**
 * Deletes rows that no window needs any more, and returns how many. Once a minute is often enough.
 * Never waits for a request, nor makes one wait long.
 */
export async function sweepRateWindows(
  tx: Transaction,
  { windowSeconds = rateWindowSeconds }: { windowSeconds?: number } = {},
): Promise<number> {
  const windows = await tx.query(
    `delete from create_windows where key_id in (
       select key_id from create_windows
        where coalesce(stamps[array_upper(stamps, 1)], 0)
              <= extract(epoch from clock_timestamp() - $1::float8 * interval '1 second') * 1000000
        for update skip locked)`,
    [windowSeconds],
  );
  const rounds = await tx.query(
    `delete from status_rounds where (process_id, round) in (
       select process_id, round from status_rounds
        where told_at < clock_timestamp() - $1::float8 * interval '1 second'
        for update skip locked)`,
    [windowSeconds],
  );
  return windows.rowCount + rounds.rowCount;
}
