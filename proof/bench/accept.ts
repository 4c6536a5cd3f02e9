/** Creates per second: batched against one transaction per create. */
import { createAcceptTask } from '../../server/lifecycle/accept.ts';
import { openScratchDatabase } from '../kit/scratch-database.ts';
import { createOf, seedAccount } from '../kit/seed.ts';
import { measure, table } from './measure.ts';

const clients = 64;
const accountsMany = 200;

export async function acceptBench(log: (line: string) => void): Promise<string> {
  log('accepting …');
  const { db, close } = await openScratchDatabase({ durable: true });
  const credits = 1_000_000_000;
  const many = await Promise.all(
    Array.from({ length: accountsMany }, () => seedAccount(db, { credits })),
  );
  const hot = await seedAccount(db, { credits });
  const one = createAcceptTask({ db }, { itemsMax: 1, inFlightMax: 10 });
  const batched = createAcceptTask({ db });
  let at = 0;
  const anyAccount = () => many[at++ % many.length]!;
  const measured = await measure(
    [
      { name: 'one transaction a create', clients, once: () => one(createOf(anyAccount())) },
      { name: 'batched', clients, once: () => batched(createOf(anyAccount())) },
      {
        name: 'one transaction a create, one hot account',
        clients,
        once: () => one(createOf(hot)),
      },
      { name: 'batched, one hot account', clients, once: () => batched(createOf(hot)) },
    ],
    { rounds: 3, secondsEach: 2 },
  );
  await close();
  return table(`Accepting, ${clients} clients, database only`, measured);
}
