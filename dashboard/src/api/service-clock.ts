/**
 * What time it is at the service: moments of tasks are its own, and the clock of a laptop may go
 * wrong by minutes. Read off the answers that come anyway.
 */

/** What is less may be the way of the answer, or the second that a header is exact to. */
const driftMsMin = 2000;
let offsetMs = 0;

/** `date` as the answer says it; null where a proxy took it away. */
export function recordServiceDate(date: string | null): void {
  const serviceMs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceMs)) return;
  const difference = serviceMs - Date.now();
  offsetMs = Math.abs(difference) > driftMsMin ? difference : 0;
}

export const serviceNowMs = (): number => Date.now() + offsetMs;
