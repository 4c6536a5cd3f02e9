/**
 * The installation of the screenshots: Driftwood Films, a studio with a team, and a dozen other
 * customers with tasks of four weeks, and what their operator has done and has to look at.
 */
import assert from 'node:assert/strict';
import { addLedgerDays } from '../../server/ledger/ledger-days.ts';
import { copyAccountActivity } from '../../server/start/maintenance.ts';
import { addInstallationDay } from '../../server/tasks/installation-days.ts';
import { addTaskWords } from '../../server/tasks/task-words.ts';
import { addUsageDay } from '../../server/tasks/usage-days.ts';
import { type SeededStudio, seedStudio } from './dashboard-seed.ts';
import { followLink } from './people.ts';
import { seedTaskHistory } from './seed-task-history.ts';
import type { Client, TestService } from './service.ts';

const customers = [
  ['Harbor & Pine', 'Amara Adeyemi', 'amara@harbor-pine.example'],
  ['Kestrel Motion', 'Benedikt Eriksen', 'benedikt@kestrel-motion.example'],
  ['Oddfellow Studio', 'Camila Costa', 'camila@oddfellow.example'],
  ['Blue Hour Films', 'Daisuke Nakamura', 'daisuke@blue-hour.example'],
  ['Tandem Creative', 'Elif Yilmaz', 'elif@tandem.example'],
  ['Marigold Media', 'Gabriel Moreau', 'gabriel@marigold.example'],
  ['Northbound Pictures', 'Hanna Schneider', 'hanna@northbound.example'],
  ['Saltwater Agency', 'Idris Usman', 'idris@saltwater.example'],
  ['Paper Lantern', 'Leila Haddad', 'leila@paper-lantern.example'],
  ['Quarry Post', 'Mateo Lopez', 'mateo@quarry-post.example'],
  ['Fieldnote Films', 'Rosa Ferrari', 'rosa@fieldnote.example'],
  ['Riverbend TV', 'Tove Bergström', 'tove@riverbend.example'],
] as const;
/** Every so many have tasks of four weeks. */
const activeEvery = 2;

const drawnPrompts = [
  'Macro shot of a bee landing on a sunflower, golden backlight',
  'A humpback whale glides past a coral reef, light shafts from above',
  'A camel caravan crosses desert dunes at sunset, the camera rises slowly',
  'Snow falls on a mountain village at night, warm windows, seen from above',
  'Neon signs reflected in a rainy street, people with umbrellas walk by',
  'A campfire at the edge of a pine forest, sparks drift into the stars',
];

export async function seedDemoInstallation(service: TestService): Promise<SeededStudio> {
  const seeded: string[] = [];
  for (const [index, customer] of customers.entries()) {
    seeded.push(await seedCustomer(service, customer, index));
  }
  const studio = await seedStudio(service, {
    prompts: drawnPrompts,
    size: { resolution: '720p', duration: 5 },
    seedHistory: (account) => seedPast(service, account, { days: 210 }),
  });
  await seedOperations(service, seeded);
  await addUpPast(service);
  return studio;
}

async function done(response: ReturnType<Client['post']>): Promise<Record<string, unknown>> {
  const { status, body } = await response;
  assert(status < 300, JSON.stringify(body));
  return body;
}

async function seedCustomer(
  service: TestService,
  [name, person, email]: (typeof customers)[number],
  index: number,
): Promise<string> {
  const { id } = await service.account({ name });
  const invitation = `/admin/accounts/${id}/invitations`;
  const { link } = await done(service.admin.post(invitation, { role: 'owner', email }));
  await followLink(service.url, String(link), { name: person, email });
  const hasTasks = index % activeEvery === 0;
  await seedPast(service, id, { days: 3 + index * 17, hasTasks });
  return id;
}

/** Credits since the account was created, and tasks of four weeks. */
async function seedPast(
  { admin, db }: TestService,
  account: string,
  { days, hasTasks = true }: { readonly days: number; readonly hasTasks?: boolean },
): Promise<void> {
  const grants = [
    { amount: 20_000, mode: 'live', note: 'Invoice 2051' },
    { amount: 5_000, mode: 'test', note: 'Test credits' },
  ];
  for (const grant of grants) await done(admin.post(`/admin/accounts/${account}/credits`, grant));
  await db.transaction(async (tx) => {
    // The ledger is append-only.
    await tx.query('set local session_replication_role = replica');
    for (const [table, column] of [
      ['accounts', 'id'],
      ['ledger_entries', 'account_id'],
    ]) {
      const past = `now() - $2 * interval '1 day'`;
      await tx.query(`update ${table} set created_at = ${past} where ${column} = $1`, [
        account,
        days,
      ]);
    }
  });
  if (!hasTasks) return;
  await seedTaskHistory(db, { account });
  await db.query(
    `insert into attempts (task_id, number, provider, reference, operation, unanswered, outcome,
       started_at, accepted_at, ended_at, output_seconds, cost_micros, cost_source)
     select id, 1, case model when 'vidgen-2-5' then 'ark' else 'kling' end, 'ref ' || id,
       'op ' || id, false, 'completed', created_at, created_at, finished_at, 5, cost,
       case when cost is not null then 'rule' end
     from tasks cross join lateral (select case when hashtext(id) % 23 <> 0
       then round(credits * 20000 * (0.4 + (hashtext(id) & 7) / 12.0))::bigint end as cost) c
     where account_id = $1 and result ->> 'video' = 'gone.mp4'`,
    [account],
  );
}

/** Makes lists, searches and the overview see what was inserted with times in the past. */
async function addUpPast({ db }: TestService): Promise<void> {
  const since = `date_trunc('day', now() - interval '29 days', 'UTC')`;
  // The running service may have added up yesterday already.
  await db.transaction(async (tx) => {
    const days = [
      'usage_days',
      'installation_days',
      'installation_times',
      'provider_days',
      'margin_days',
    ];
    for (const table of days) await tx.query(`delete from ${table}`);
    await tx.query(`update usage_rollup set since = ${since}, until = ${since}`);
    await tx.query(`update installation_rollup set until = ${since}`);
  });
  for (const add of [addUsageDay, addInstallationDay, addLedgerDays]) {
    while (await db.transaction((tx) => add(tx)));
  }
  while (await db.transaction((tx) => copyAccountActivity(tx)));
  while (await db.transaction((tx) => addTaskWords(tx)));
}

/** Accounts that are suspended or limited, codes, and a refund that waits. */
async function seedOperations(
  { admin, account }: TestService,
  seeded: readonly string[],
): Promise<void> {
  const act = (index: number, path: string, body: object) =>
    done(admin.post(`/admin/accounts/${seeded[index]}/${path}`, body));
  await act(6, 'suspend', { note: 'Invoice 2106 unpaid since 14 October' });
  const limits = { creates_per_minute: 120, running_max: 40 };
  await done(admin.send('PATCH', `/admin/accounts/${seeded[3]}`, limits));
  await act(7, 'credits', { amount: -100, mode: 'live', note: 'Granted twice by mistake' });
  const batch = { amount: 500, mode: 'live', count: 6, note: 'Motion design workshop, May' };
  const { items } = await done(admin.post('/admin/redemption-codes', batch));
  const [first] = items as { code: string }[];
  await act(8, 'redemptions', { code: first!.code });
  // The task of an account that is closed before the task ends cannot be refunded.
  const { id, client } = await account({ live: 500, name: 'Bellfounder Audio' });
  const input = { prompt: 'Church bells swing in slow motion', resolution: '480p', duration: 5 };
  const { taskId } = await done(client.create({ model: 'vidgen-2-0-mini', input }));
  await done(admin.post(`/admin/accounts/${id}/close`));
  await done(admin.post(`/admin/tasks/${taskId}/cancel`));
}
