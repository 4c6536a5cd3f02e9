/**
 * Makes every secret of a service a canary, uses and attacks the
 * service, and then searches everything that can be read: outputs, logs, metrics, every response,
 * and the database, as backups contain it.
 */
import { readFile } from 'node:fs/promises';
import type { Database } from '../../../server/database/database.ts';
import {
  type CanaryCustomer,
  type CanaryMember,
  join,
  makeVideos,
  openAccount,
  topUp,
} from './actions.ts';
import { probeAsStranger, readEverything, triggerFailures, useCommandLine } from './attacks.ts';
import { leaksIn } from './canaries.ts';
import { type CanaryEnvironment, openCanaryEnvironment } from './environment.ts';
import { failingStarts, startFailing, startFirst, withoutShownOnce } from './starts.ts';

type SearchResult = {
  readonly secrets: number;
  readonly texts: number;
  readonly leaks: readonly string[];
};

/** `isBrief`: one member, one failing start, no command line, as `npm test` has time for. */
export async function searchOnce({ isBrief }: { isBrief: boolean }): Promise<SearchResult> {
  await using env = await openCanaryEnvironment();
  const { recorder, installation, service } = env;
  await service.waitUntilServing();
  const customer = await useAndAttack(env, isBrief ? ['owner'] : ['owner', 'viewer']);
  if (!isBrief) await useCommandLine(env, customer);
  await service.stop();
  const output = await readFile(installation.logFile, 'utf8');
  recorder.record('output of the service', withoutShownOnce(env, output));
  for (const start of isBrief ? failingStarts.slice(0, 1) : failingStarts) {
    const code = await startFailing(env, start);
    if (code !== 1) throw new Error(`a start ended with ${code}: ${start.name}`);
  }
  if (!isBrief) await startFirst(env);
  for (const { name, text } of await tablesOf(installation.db)) {
    recorder.record(`the database, table ${name}`, text);
  }
  const { recorded, canaries } = recorder;
  const secrets = new Set(canaries.map(({ value }) => value)).size;
  return { secrets, texts: recorded.length, leaks: leaksIn(recorded, canaries) };
}

async function useAndAttack(
  env: CanaryEnvironment,
  roles: readonly CanaryMember['as'][],
): Promise<CanaryCustomer> {
  const customer = await openAccount(env);
  await makeVideos(env, customer);
  const members: CanaryMember[] = [];
  for (const role of roles) members.push(await join(env, customer, role));
  const owner = members[0]!;
  await topUp(env, customer, owner);
  await probeAsStranger(env, customer);
  await triggerFailures(env, customer, owner);
  await readEverything(env, customer, members);
  return customer;
}

/** Every row of every table, as text. */
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
