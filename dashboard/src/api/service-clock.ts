/**
 * What time it is at the service: moments of tasks are its own, and the clock of a laptop may go
 * wrong by minutes. Read off the answers that come anyway.
 */

/** What is less may be the way of the answer, or the second that a header is exact to. */
const noticedMs = 2000;
let aheadMs = 0;

/** `date` as the answer says it; null where a proxy took it away. */
export function noteServiceDate(date: string | null): void {
  const told = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(told)) return;
  const difference = told - Date.now();
  aheadMs = Math.abs(difference) > noticedMs ? difference : 0;
}

export const serviceNowMs = (): number => Date.now() + aheadMs;
