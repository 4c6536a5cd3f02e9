/** Creates per second: batched against one transaction per create, on both engines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../server/database/database.ts';
import { openEmbedded } from '../../server/database/embedded.ts';
import { migrate } from '../../server/database/migrate.ts';
import { createAcceptTask } from '../../server/lifecycle/accept.ts';
import { openScratchDatabase } from '../kit/scratch-database.ts';
import { createOf, seedAccount } from '../kit/seed.ts';
import { measure, table } from './measure.ts';

const clients = 64;
const accountsMany = 200;

export async function acceptBench(log: (line: string) => void): Promise<string> {
  const postgres = await openScratchDatabase('postgres', { durable: true });
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-bench-'));
  const embedded = await openEmbedded(folder);
  await migrate(embedded);
  const parts: string[] = [];
  for (const [name, db] of [
    ['PostgreSQL', postgres.db],
    ['embedded', embedded],
  ] as const) {
    log(`accepting on ${name} …`);
    parts.push(await compare(name, db));
  }
  await postgres.close();
  await embedded.close();
  await rm(folder, { recursive: true, force: true });
  return parts.join('\n');
}

async function compare(name: string, db: Database): Promise<string> {
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
  return table(`Accepting, ${name}, ${clients} clients, database only`, measured);
}
