/** The estimated cost of a task, and whether the balance covers it. */
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';

export type Cost = {
  /** Undefined until it is loaded. */
  readonly estimate: PlaygroundEstimate | undefined;
  /**
   * Video editing is priced by the length of its source, which is unknown before the task is
   * created.
   */
  readonly isUpperBound: boolean;
};

/** True only when the balance is certainly too low; other cases are left to the service. */
export const isInsufficient = ({ estimate, isUpperBound }: Cost): boolean =>
  estimate !== undefined && !isUpperBound && estimate.credits > estimate.available;
