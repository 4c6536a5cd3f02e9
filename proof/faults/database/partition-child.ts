/** The partitions of `partition.ts`, by dropped packets. Run by `apart.ts`, in a network apart. */
import type { FaultTestOptions, FaultTestResult } from '../fault-test.ts';
import { runPartitions } from './partition.ts';

export const run = (options: FaultTestOptions): Promise<FaultTestResult> =>
  runPartitions(options, { by: 'firewall' });
