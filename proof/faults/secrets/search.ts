/**
 * `npm run faults -- canaries`: makes every secret of a service a canary, uses and attacks the
 * service, and then searches everything that can be read: outputs, logs, metrics, every response,
 * and the database, as backups contain it.
 */
import { readFile } from 'node:fs/promises';
import type { Database } from '../../../server/database/database.ts';
import { type FaultTest, resultOf } from '../fault-test.ts';
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
import { searchSuite } from './suite.ts';

export type SearchResult = {
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

export const canaries: FaultTest = {
  name: 'canaries',
  title: 'every secret is a canary, and everything that can be read is searched for it',
  failures: [],
  unit: 'secrets',
  runs: 500,
  async run({ runs, log, signal }) {
    const leaks: string[] = [];
    let [secrets, texts] = [0, 0];
    while (secrets < runs && !signal.aborted) {
      const found = await searchOnce({ isBrief: false });
      secrets += found.secrets;
      texts += found.texts;
      leaks.push(...found.leaks);
      log(`  ${secrets} secrets in ${texts} texts: ${leaks.length} leaks`);
    }
    const suite = signal.aborted ? null : await searchSuite({ log, signal });
    const notes = [
      `${texts.toLocaleString('en')} texts were searched: responses to every caller, outputs of ` +
        `processes at log level trace, metrics, the command line, and every table`,
      ...(suite ? [suite.note] : []),
    ];
    return resultOf([], { runs: secrets, violations: [...leaks, ...(suite?.leaks ?? [])], notes });
  },
};
