/** Creates findings. A check never throws and never hangs: both are findings too. */
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { sleep } from '../process/clock.ts';
import { redact } from '../telemetry/log.ts';

export type Area = Finding['area'];

const checkMsMax = 15_000;

export const ok = (area: Area, message: string): Finding => ({
  area,
  level: 'ok',
  message,
  remedy: null,
});

export const warning = (area: Area, message: string, remedy: string): Finding => ({
  area,
  level: 'warning',
  message,
  remedy,
});

export const failure = (area: Area, message: string, remedy: string): Finding => ({
  area,
  level: 'error',
  message,
  remedy,
});

export type GuardOptions = {
  /** What no result in time is. */
  readonly late?: typeof failure;
  readonly msMax?: number;
};

/** Runs a check. An error it throws, or 15 seconds without a result, is an error with `remedy`. */
export async function guard(
  area: Area,
  remedy: string,
  check: () => Promise<readonly Finding[]>,
  { late: ofLate = failure, msMax = checkMsMax }: GuardOptions = {},
): Promise<readonly Finding[]> {
  const finished = new AbortController();
  const late = sleep(msMax, finished.signal).then(() => [
    ofLate(area, `no result after ${msMax / 1000} s`, remedy),
  ]);
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    return [failure(area, redact(messageOf(error)), remedy)];
  } finally {
    finished.abort();
  }
}

/** A connection that fails at several IP addresses has a message in its parts only. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message.trim() || error.name : String(error);
}
