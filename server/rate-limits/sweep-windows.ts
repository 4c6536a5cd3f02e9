/**
 * Deletes rows that no window needs any more. Never waits for a request, nor makes one wait long.
 */
import type { Transaction } from '../database/database.ts';
import { rateWindowSeconds } from './rate-limit-result.ts';

/** Returns how many rows were deleted. Once a minute is often enough. */
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
