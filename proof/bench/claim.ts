/** Claims of due jobs: with few waiting, and with a backlog of one account. */
import type { Database } from '../../server/database/database.ts';
import { createAcceptTask } from '../../server/lifecycle/accept.ts';
import { claim } from '../../server/queue/claim.ts';
import { release } from '../../server/queue/outcome.ts';
import { openScratchDatabase } from '../kit/scratch-database.ts';
import { createOf, seedAccount } from '../kit/seed.ts';
import { measure, table } from './measure.ts';

const smallAccounts = 50;
const waitingMany = 100_000;

export async function claimBench(log: (line: string) => void): Promise<string> {
  const { db, close } = await openScratchDatabase({ durable: true });
  const accept = createAcceptTask({ db });
  for (let count = 0; count < smallAccounts; count++) {
    await accept(createOf(await seedAccount(db, { credits: 100 })));
  }
  log('claiming with few waiting …');
  const take = async () => {
    const share = { jobsMax: 64, perAccountMax: 64, perReceiverMax: 64, includeIsolated: true };
    const jobs = await claim(db, { owner: 'b', queue: 'work', ...share });
    await release(db, jobs);
    return new Set(jobs.map(({ accountId }) => accountId)).size;
  };
  const options = { rounds: 3, secondsEach: 2 };
  const once = (name: string) => ({ name, clients: 1, once: take });
  const few = await measure([once('50 accounts, one job each')], options);
  log(`making ${waitingMany} jobs of one account …`);
  await fill(db, accept);
  const many = await measure([once(`the same, behind ${waitingMany} of one account`)], options);
  const served = await take();
  await close();
  const all = smallAccounts + 1;
  const note = `Accounts served by one claim of 64 with the backlog: ${served} of ${all}.\n`;
  const title = 'Claims of 64 jobs (claim and release)';
  return `${table(title, [...few, ...many])}\n${note}`;
}

async function fill(db: Database, accept: ReturnType<typeof createAcceptTask>): Promise<void> {
  const noisy = await seedAccount(db, { credits: 1_000_000_000 });
  for (let made = 0; made < waitingMany; made += 1000) {
    await Promise.all(Array.from({ length: 1000 }, () => accept(createOf(noisy, { credits: 1 }))));
  }
  await db.query('analyze jobs');
}
