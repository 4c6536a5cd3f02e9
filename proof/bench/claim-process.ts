/** A process that claims jobs and gives them back, as a worker without stages would. */
import { openPostgres } from '../../server/database/postgres.ts';
import { monotonicMs } from '../../server/process/clock.ts';
import { claim } from '../../server/queue/claim.ts';
import { release } from '../../server/queue/outcome.ts';
import type { Work } from './rounds.ts';

const db = await openPostgres(process.argv[2]!);
const limits = { jobsMax: 64, perAccountMax: 64, perReceiverMax: 64, includeIsolated: true };

async function run(seconds: number): Promise<Work> {
  const fromMs = monotonicMs();
  let requests = 0;
  while (monotonicMs() - fromMs < seconds * 1000) {
    const jobs = await claim(db, { owner: 'bench', queue: 'default', ...limits });
    if (jobs.length === 0) throw new Error('there is no job to claim');
    await release(db, jobs);
    requests += 1;
  }
  return { requests, seconds: (monotonicMs() - fromMs) / 1000 };
}

process.on('message', async (seconds: number) => process.send!(await run(seconds)));
process.on('disconnect', () => process.exit());
process.send!('ready');
