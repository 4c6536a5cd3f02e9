/** The partitions of `partition.ts`, by dropped packets. Run by `apart.ts`, in a network apart. */
import type { Outcome, ProofOrder } from '../proof.ts';
import { runPartitions } from './partition.ts';

export const run = (order: ProofOrder): Promise<Outcome> =>
  runPartitions(order, { by: 'firewall' });
