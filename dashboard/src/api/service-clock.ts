/**
 * The current time of the service, from the Date header of its responses. Task timestamps come from
 * the service, and the clock of a laptop can be wrong by minutes.
 */

/** Smaller differences can come from latency and from the header's resolution of one second. */
const driftMsMin = 2000;
let offsetMs = 0;

/** `date` is null when a proxy has removed the header. */
export function recordServiceDate(date: string | null): void {
  const serviceMs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceMs)) return;
  const difference = serviceMs - Date.now();
  offsetMs = Math.abs(difference) > driftMsMin ? difference : 0;
}

export const serviceNowMs = (): number => Date.now() + offsetMs;
