/** What the processes of an installation have said of leases that ran out: none may, unkilled. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from '../installation.ts';

export async function leasesLost({ home }: Installation): Promise<string[]> {
  const output = await readFile(join(home, 'processes.log'), 'utf8');
  const lines = output.split('\n').filter((line) => line.includes('rescued jobs of a dead worker'));
  return lines.map((line) => `a living worker lost its lease: ${line}`);
}
