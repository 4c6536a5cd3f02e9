/** How often to ask about an operation, by its age: one that takes long is asked about less. */

export type PollSchedule = readonly {
  readonly untilSeconds: number;
  readonly everySeconds: number;
}[];

/** The last step must be without end. */
export const pollInterval = (schedule: PollSchedule, ageSeconds: number): number =>
  schedule.find(({ untilSeconds }) => ageSeconds < untilSeconds)!.everySeconds;

/** A server of one's own bears much. */
export const selfHostedSchedule: PollSchedule = [
  { untilSeconds: 60, everySeconds: 2 },
  { untilSeconds: 300, everySeconds: 5 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 10 },
];
