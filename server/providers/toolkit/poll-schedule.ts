/** Poll intervals by the age of an operation: a long-running one is polled less often. */

export type PollSchedule = readonly {
  readonly untilSeconds: number;
  readonly everySeconds: number;
}[];

/** The last step must have no end. */
export const pollInterval = (schedule: PollSchedule, ageSeconds: number): number =>
  schedule.find(({ untilSeconds }) => ageSeconds < untilSeconds)!.everySeconds;

/** Self-hosted servers have no rate limits. */
export const selfHostedSchedule: PollSchedule = [
  { untilSeconds: 60, everySeconds: 2 },
  { untilSeconds: 300, everySeconds: 5 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 10 },
];
