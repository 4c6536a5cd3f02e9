/** Whether the balance is enough, as far as that can be known before the task is created. */
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';

export type Cost = {
  /** Undefined while it is on its way. */
  readonly estimate: PlaygroundEstimate | undefined;
  /** Editing is priced by the length of its source, which nobody has looked at yet. */
  readonly isUpperBound: boolean;
};

/** For certain: what may yet be enough is left to the service. */
export const isInsufficient = ({ estimate, isUpperBound }: Cost): boolean =>
  estimate !== undefined && !isUpperBound && estimate.credits > estimate.available;
