/**
 * `npm run faults -- canaries`: every secret of a service is a canary, the service is used and
 * abused, and then all that anybody could read is searched: outputs, logs, metrics, every answer,
 * and the database, as its backups hold it.
 */
import type { Database } from '../../../server/database/database.ts';
import { startPostgres } from '../../kit/postgres.ts';
import type { Outcome, Proof, ProofOrder } from '../proof.ts';
import { leaksIn } from './canaries.ts';
import { type Customer, join, type Member, makeVideos, openAccount, topUp } from './deeds.ts';
import { startBadly, startFirst, starts, withoutToldOnce } from './starts.ts';
import { searchSuite } from './suite.ts';
import { breakDown, knock, lookAround, useCommandLine } from './troubles.ts';
import { openWorld, outputOf, type World } from './world.ts';

export type Search = {
  readonly secrets: number;
  readonly texts: number;
  readonly leaks: readonly string[];
};

export type SearchOptions = {
  readonly serverUrl: string;
  /** One member, one start that goes wrong, no command line: what `npm test` has time for. */
  readonly isBrief: boolean;
};

export async function searchOnce({ serverUrl, isBrief }: SearchOptions): Promise<Search> {
  const world = await openWorld(serverUrl);
  try {
    await world.service.serving();
    const customer = await useAndAbuse(world, isBrief ? ['owner'] : ['owner', 'viewer']);
    if (!isBrief) await useCommandLine(world, customer);
    await world.service.stop();
    world.listener.hear('output of the service', withoutToldOnce(world, await outputOf(world)));
    for (const start of isBrief ? starts.slice(0, 1) : starts) {
      const code = await startBadly(world, start);
      if (code !== 1) throw new Error(`a start ended with ${code}: ${start.name}`);
    }
    if (!isBrief) await startFirst(world);
    for (const { name, text } of await tablesOf(world.db)) {
      world.listener.hear(`the database, table ${name}`, text);
    }
    const { heard, canaries } = world.listener;
    const secrets = new Set(canaries.map(({ value }) => value)).size;
    return { secrets, texts: heard.length, leaks: leaksIn(heard, canaries) };
  } finally {
    await world.close();
  }
}

async function useAndAbuse(world: World, roles: readonly Member['as'][]): Promise<Customer> {
  const customer = await openAccount(world);
  await makeVideos(world, customer);
  const members: Member[] = [];
  for (const role of roles) members.push(await join(world, customer, role));
  const owner = members[0]!;
  await topUp(world, customer, owner);
  await knock(world, customer);
  await breakDown(world, customer, owner);
  await lookAround(world, customer, members);
  return customer;
}

/** Every row there is, as text. */
async function tablesOf(db: Database): Promise<{ name: string; text: string }[]> {
  const { rows } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const tables: { name: string; text: string }[] = [];
  for (const { name } of rows) {
    const { rows: held } = await db.query<{ row: string }>(
      `select t::text as row from "${name}" t`,
    );
    tables.push({ name, text: held.map(({ row }) => row).join('\n') });
  }
  return tables;
}

async function run({ runs, say, signal }: ProofOrder): Promise<Outcome> {
  const server = await startPostgres();
  const violations: string[] = [];
  let [secrets, texts] = [0, 0];
  try {
    while (secrets < runs && !signal.aborted) {
      const found = await searchOnce({ serverUrl: server.url, isBrief: false });
      secrets += found.secrets;
      texts += found.texts;
      violations.push(...found.leaks);
      say(`  ${secrets} secrets in ${texts} texts: ${violations.length} found`);
    }
  } finally {
    await server.stop();
  }
  const suite = signal.aborted ? null : await searchSuite({ say, signal });
  violations.push(...(suite?.leaks ?? []));
  const none = { acknowledged: 0, lost: 0, doubled: 0, unfinished: 0, broken: 0 };
  const notes = [
    `${texts.toLocaleString('en')} texts were searched: answers to everybody, outputs of ` +
      `processes at log level trace, metrics, the command line, and every table`,
    ...(suite ? [suite.note] : []),
  ];
  return { runs: secrets, ...none, violations, notes };
}

export const canaries: Proof = {
  name: 'canaries',
  title: 'every secret is a canary, and all that anybody can read is searched for it',
  failures: [],
  unit: 'secrets',
  runs: 500,
  needs: [],
  run,
};
