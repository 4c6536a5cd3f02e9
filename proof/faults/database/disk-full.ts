/** Proof that a full disk of the database costs answers and nothing else. */
import type { FaultTest } from '../fault-test.ts';
import { runInNamespace } from './run-in-namespace.ts';

export const databaseDiskFull: FaultTest = {
  name: 'database-disk-full',
  title: 'the disk of the database is full, under load',
  failures: [23],
  unit: 'times',
  runs: 3,
  requirements: ['namespaces'],
  run: (options) =>
    runInNamespace({ own: 'mounts', module: import.meta.resolve('./disk-full-child.ts') }, options),
};
