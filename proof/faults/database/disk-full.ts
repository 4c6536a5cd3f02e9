/** Proof that a full disk of the database costs answers and nothing else. */
import type { Proof } from '../proof.ts';
import { runApart } from './apart.ts';

export const databaseDiskFull: Proof = {
  name: 'database-disk-full',
  title: 'the disk of the database is full, under load',
  failures: [23],
  unit: 'times',
  runs: 3,
  needs: ['namespaces'],
  run: (order) =>
    runApart({ own: 'mounts', module: import.meta.resolve('./disk-full-inside.ts') }, order),
};
