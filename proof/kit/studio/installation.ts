/**
 * An installation with 120 customers for screenshots: people, credits, and tasks of 30 days in all
 * states that a task can end in, with webhooks and an audit log. Random numbers begin the same in
 * every run, so pictures of two versions can be compared.
 */
import { createAccount } from '../../../server/accounts/account.ts';
import { createApiKey } from '../../../server/accounts/api-key.ts';
import { keyPepper } from '../../../server/accounts/api-key-format.ts';
import { addMember } from '../../../server/accounts/membership.ts';
import type { Person } from '../../../server/accounts/person.ts';
import { createCatalog } from '../../../server/catalog/catalog.ts';
import { priceOf } from '../../../server/catalog/price.ts';
import type { Database, Transaction } from '../../../server/database/database.ts';
import { createBalances } from '../../../server/ledger/ledger.ts';
import { addLedgerDays } from '../../../server/ledger/ledger-days.ts';
import { copyAccountActivity } from '../../../server/lifecycle/account-activity.ts';
import { addInstallationDay } from '../../../server/tasks/installation-days.ts';
import { addTaskWords } from '../../../server/tasks/task-words.ts';
import { addUsageDay } from '../../../server/tasks/usage-days.ts';
import { seedPerson } from '../people.ts';
import { generationOf, testSecret } from '../seed.ts';
import {
  callbackHostOf,
  customerNames,
  domainOf,
  drawnPrompts,
  failedPrompts,
  givenNames,
  keyNames,
  shotNotes,
  surnames,
} from './names.ts';
import { insertPast, type PastGrant, type PastTask } from './past-tasks.ts';

export type PastCustomer = {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly createdAt: Date;
  readonly keyId: string;
  readonly key: string;
  readonly grants: readonly PastGrant[];
  /** Tasks whose files are to be linked, with the prompt that has been drawn for them. */
  readonly stored: readonly { readonly taskId: string; readonly drawing: number }[];
};

const dayMs = 86_400_000;
const days = 30;
const storedDays = 6;
const { prices } = createCatalog();
const sizes = [
  { model: 'vidgen-2-5', resolution: '720p' },
  { model: 'vidgen-2-0', resolution: '720p' },
  { model: 'vidgen-2-0', resolution: '1080p' },
  { model: 'vidgen-2-0-fast', resolution: '480p' },
  { model: 'vidgen-2-5', resolution: '1080p' },
  { model: 'vidgen-2-0-mini', resolution: '480p' },
] as const;
const providersOf = {
  'vidgen-2-5': 'modelark',
  'vidgen-2-0': 'fal',
  'vidgen-2-0-fast': 'modelark',
  'vidgen-2-0-mini': 'engine',
} as const;

/** From 0 to 1: mulberry32. */
let state = 18;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

export async function seedPastCustomers(db: Database): Promise<PastCustomer[]> {
  const customers: PastCustomer[] = [];
  for (const [index, name] of customerNames.entries()) {
    customers.push(await seedCustomer(db, name, index));
  }
  return customers;
}

/** Makes lists, searches and the overview see what was inserted with times in the past. */
export async function addUpPast(db: Database): Promise<void> {
  const since = `date_trunc('day', now() - interval '${days + 1} days', 'UTC')`;
  // The running service may have added up yesterday already.
  await db.transaction(async (tx) => {
    for (const table of [
      'usage_days',
      'installation_days',
      'installation_times',
      'provider_days',
    ]) {
      await tx.query(`delete from ${table}`);
    }
    await tx.query(`update usage_rollup set since = ${since}, until = ${since}`);
    await tx.query(`update installation_rollup set until = ${since}`);
    await tx.query(`update task_search_position set position = ''`);
  });
  for (const add of [addUsageDay, addInstallationDay, addLedgerDays]) {
    while (await db.transaction((tx) => add(tx)));
  }
  while (await db.transaction((tx) => copyAccountActivity(tx)));
  while (await db.transaction((tx) => addTaskWords(tx)));
}

async function seedCustomer(db: Database, name: string, index: number): Promise<PastCustomer> {
  const team: Person[] = [];
  for (let number = 0; number < 1 + (index % 3); number++) {
    const given = givenNames[(index * 5 + number * 7) % givenNames.length]!;
    const family = surnames[(index * 3 + number * 11) % surnames.length]!;
    team.push(
      await seedPerson(db, {
        name: `${given} ${family}`,
        email: `${given.toLowerCase()}@${domainOf(name)}`,
      }),
    );
  }
  const createdAt = new Date(Date.now() - (index * 3.4 + 0.4) * dayMs);
  return await db.transaction(async (tx) => {
    const { id } = await createAccount(tx, { name });
    await createBalances(tx, id);
    for (const [number, person] of team.entries()) {
      const role = (['owner', 'developer', 'viewer'] as const)[number]!;
      await addMember(tx, { accountId: id, personId: person.id, role });
    }
    const options = { pepper: keyPepper(testSecret), accountId: id, mode: 'live' } as const;
    const { id: keyId, key: secret } = await createApiKey(tx, { ...options, name: pick(keyNames) });
    await setTimes(tx, { id, keyId, createdAt, people: team.map((person) => person.id) });
    const perDay = index % 12 === 3 ? 2.4 : index % 3 === 0 ? 0.5 : index % 7 === 5 ? 0 : 0.15;
    const past = await seedPastOf(tx, { accountId: id, name, keyId, createdAt, perDay });
    return { id, name, owner: team[0]!.email, createdAt, keyId, key: secret, ...past };
  });
}

async function setTimes(
  tx: Transaction,
  {
    id,
    keyId,
    createdAt,
    people,
  }: {
    readonly id: string;
    readonly keyId: string;
    readonly createdAt: Date;
    readonly people: readonly string[];
  },
): Promise<void> {
  const at = createdAt.toISOString();
  await tx.query('update accounts set created_at = $2 where id = $1', [id, at]);
  await tx.query(
    `update api_keys set created_at = $2, last_used_at = now() - $3 * interval '1 hour'
     where id = $1`,
    [keyId, at, random() * 90],
  );
  await tx.query(
    `update people set created_at = $2, last_seen_at = now() - random() * interval '9 days'
     where id = any($1::uuid[])`,
    [people, at],
  );
}

/** Credits and tasks since the account was created, at most of 30 days. */
export async function seedPastOf(
  tx: Transaction,
  {
    accountId,
    name,
    keyId,
    createdAt,
    perDay,
    furtherGrants = [],
  }: {
    readonly accountId: string;
    readonly name: string;
    readonly keyId: string;
    readonly createdAt: Date;
    readonly perDay: number;
    readonly furtherGrants?: readonly PastGrant[];
  },
): Promise<Pick<PastCustomer, 'grants' | 'stored'>> {
  const since = Math.max(createdAt.getTime(), Date.now() - days * dayMs) + 1_800_000;
  const times = Array.from(
    { length: Math.round((perDay * (Date.now() - since)) / dayMs) },
    () => new Date(since + random() * (Date.now() - since - 3_600_000)),
  );
  times.sort((a, b) => a.getTime() - b.getTime());
  const planned = times.map((at) => planTask(at, { name, keyId }));
  const used = planned.reduce((sum, { task }) => sum + task.credits, 0);
  const first = Math.ceil(used / 500) * 500 + (perDay === 0 ? 0 : pick([0, 250, 500]));
  const grants = [
    { at: createdAt, amount: first, note: `Invoice ${2000 + Math.floor(random() * 900)}` },
    {
      ...{ at: new Date(since + random() * (Date.now() - since)), note: 'Top-up' },
      amount: pick([250, 500, 500, 1_000]),
    },
    ...furtherGrants,
  ].filter(({ amount }) => amount > 0);
  const ids = await insertPast(tx, { accountId, grants, tasks: planned.map(({ task }) => task) });
  const stored = planned.flatMap(({ task, drawing }, index) =>
    task.isStored ? [{ taskId: ids[index]!, drawing }] : [],
  );
  return { grants, stored };
}

function planTask(
  at: Date,
  { name, keyId }: { readonly name: string; readonly keyId: string },
): { readonly task: PastTask; readonly drawing: number } {
  const chance = random();
  const outcome =
    chance < 0.92
      ? 'completed'
      : chance < 0.95
        ? 'provider_failed'
        : chance < 0.97
          ? 'provider_rejected'
          : chance < 0.99
            ? 'cancelled'
            : 'timed_out';
  const drawing = Math.floor(random() * drawnPrompts.length);
  const prompt =
    outcome === 'completed' ? `${drawnPrompts[drawing]}${pick(shotNotes)}` : pick(failedPrompts);
  const size = pick(sizes);
  const duration = pick([5, 5, 5, 8, 10]);
  const generation = generationOf({ ...size, duration, prompt });
  const provider = providersOf[size.model];
  const isCompleted = outcome === 'completed';
  const task: PastTask = {
    ...{ at, outcome, generation, keyId, createdBy: null },
    credits: priceOf(generation, prices),
    seconds: outcome === 'timed_out' ? 3_600 : Math.round(38 + random() * 70 + duration * 3),
    providers: random() < 0.06 && provider === 'fal' ? ['fal', 'modelark'] : [provider],
    callback:
      random() < 0.5
        ? { url: `https://${callbackHostOf(name)}/vidgen`, isDelivered: random() < 0.93 }
        : null,
    isStored: isCompleted && at.getTime() > Date.now() - storedDays * dayMs,
  };
  return { task, drawing };
}
