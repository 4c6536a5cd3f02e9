/**
 * `npm run faults -- canaries`: every secret of a service is a canary, the service is used and
 * abused, and then all that anybody could read is searched: outputs, logs, metrics, every answer,
 * and the database, as its backups hold it.
 */
import type { Database } from '../../../server/database/database.ts';
import { startPostgres } from '../../kit/postgres.ts';
import type { FaultTest, FaultTestOptions, FaultTestResult } from '../fault-test.ts';
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
import { type CanaryEnvironment, openCanaryEnvironment, outputOf } from './environment.ts';
import { startBadly, startFirst, starts, withoutShownOnce } from './starts.ts';
import { searchSuite } from './suite.ts';

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
  const env = await openCanaryEnvironment(serverUrl);
  try {
    await env.service.waitUntilServing();
    const customer = await useAndAbuse(env, isBrief ? ['owner'] : ['owner', 'viewer']);
    if (!isBrief) await useCommandLine(env, customer);
    await env.service.stop();
    env.recorder.record('output of the service', withoutShownOnce(env, await outputOf(env)));
    for (const start of isBrief ? starts.slice(0, 1) : starts) {
      const code = await startBadly(env, start);
      if (code !== 1) throw new Error(`a start ended with ${code}: ${start.name}`);
    }
    if (!isBrief) await startFirst(env);
    for (const { name, text } of await tablesOf(env.db)) {
      env.recorder.record(`the database, table ${name}`, text);
    }
    const { recorded, canaries } = env.recorder;
    const secrets = new Set(canaries.map(({ value }) => value)).size;
    return { secrets, texts: recorded.length, leaks: leaksIn(recorded, canaries) };
  } finally {
    await env.close();
  }
}

async function useAndAbuse(
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

async function run({ runs, log, signal }: FaultTestOptions): Promise<FaultTestResult> {
  const server = await startPostgres();
  const violations: string[] = [];
  let [secrets, texts] = [0, 0];
  try {
    while (secrets < runs && !signal.aborted) {
      const found = await searchOnce({ serverUrl: server.url, isBrief: false });
      secrets += found.secrets;
      texts += found.texts;
      violations.push(...found.leaks);
      log(`  ${secrets} secrets in ${texts} texts: ${violations.length} found`);
    }
  } finally {
    await server.stop();
  }
  const suite = signal.aborted ? null : await searchSuite({ log, signal });
  violations.push(...(suite?.leaks ?? []));
  const none = { acknowledged: 0, lost: 0, doubled: 0, unfinished: 0, broken: 0 };
  const notes = [
    `${texts.toLocaleString('en')} texts were searched: answers to everybody, outputs of ` +
      `processes at log level trace, metrics, the command line, and every table`,
    ...(suite ? [suite.note] : []),
  ];
  return { runs: secrets, ...none, violations, notes };
}

export const canaries: FaultTest = {
  name: 'canaries',
  title: 'every secret is a canary, and all that anybody can read is searched for it',
  failures: [],
  unit: 'secrets',
  runs: 500,
  requirements: [],
  run,
};
