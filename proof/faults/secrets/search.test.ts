/**
 * No secret of a service is in any text that others can read, after normal use and after attacks:
 * outputs, logs, metrics, every response, and the database, as backups contain it.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Database } from '../../../server/database/database.ts';
import { runsOr } from '../fault-test.ts';
import { type CanaryMember, join, makeVideos, openAccount, topUp } from './actions.ts';
import { probeAsStranger, readEverything, triggerFailures } from './attacks.ts';
import { leaksIn } from './canaries.ts';
import { type CanaryEnvironment, openCanaryEnvironment } from './environment.ts';

/** Secrets; without `RUNS` one search. */
const runs = runsOr(0);

test('no response, log or table shows a secret', async () => {
  let found = 0;
  do {
    const { secrets, texts, leaks } = await searchOnce();
    assert.deepEqual(leaks, []);
    assert(secrets >= 50 && texts >= 200, `${secrets} secrets in ${texts} texts`);
    found += secrets;
  } while (found < runs);
});

async function searchOnce() {
  await using env = await openCanaryEnvironment();
  const { recorder, installation, service } = env;
  await service.waitUntilServing();
  await useAndAttack(env);
  await service.stop();
  const output = await readFile(installation.logFile, 'utf8');
  recorder.record('output of the service', withoutShownOnce(env, output));
  for (const { name, text } of await tablesOf(installation.db)) {
    recorder.record(`the database, table ${name}`, text);
  }
  const { recorded, canaries } = recorder;
  const secrets = new Set(canaries.map(({ value }) => value)).size;
  return { secrets, texts: recorded.length, leaks: leaksIn(recorded, canaries) };
}

async function useAndAttack(env: CanaryEnvironment): Promise<void> {
  const customer = await openAccount(env);
  await makeVideos(env, customer);
  const members: CanaryMember[] = [];
  for (const role of ['owner', 'viewer'] as const) members.push(await join(env, customer, role));
  const owner = members[0]!;
  await topUp(env, customer, owner);
  await probeAsStranger(env, customer);
  await triggerFailures(env, customer, owner);
  await readEverything(env, customer, members);
}

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

/**
 * What a first start prints once: with a new database of its own the key of the demo account and an
 * example request, and everywhere the link that makes the first administrator. Each is on a line of
 * its own.
 */
const shownOnce = /^ {2}API key +vg_live_\w+$|^curl http\S+ -H '[^\n]*$|^ {2}Dashboard +\S+$/gm;

/** Removes what is printed on purpose, and adds it as canaries for all other texts. */
function withoutShownOnce({ recorder }: CanaryEnvironment, output: string): string {
  for (const line of output.match(shownOnce) ?? []) {
    const secret = /vg_live_\w+|(?<=#)[\w-]{43}/.exec(line)?.[0];
    if (secret) recorder.addCanary('a secret that a first start prints once', secret);
  }
  return output.replace(shownOnce, '');
}
