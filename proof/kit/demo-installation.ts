/**
 * The installation of the screenshots: Driftwood Films, a studio with a team, and a dozen other
 * customers with tasks of four weeks, and what their operator has done and has to look at.
 */
import assert from 'node:assert/strict';
import { addLedgerDays } from '../../server/ledger/ledger-days.ts';
import { type NewNotice, raiseNotice } from '../../server/messages/notice.ts';
import { copyAccountActivity } from '../../server/start/maintenance.ts';
import { addInstallationDay } from '../../server/tasks/installation-days.ts';
import { addTaskWords } from '../../server/tasks/task-words.ts';
import { addUsageDay } from '../../server/tasks/usage-days.ts';
import { type SeededStudio, seedStudio } from './dashboard-seed.ts';
import { FakeOpenAiVideos, servedModel } from './openai-videos/fake.ts';
import { followLink } from './people.ts';
import { seedTaskHistory } from './seed-task-history.ts';
import type { Client, TestService } from './service.ts';

export type DemoInstallation = SeededStudio & { readonly suspended: string };

type DemoCustomer = { readonly id: string; readonly client: Client };

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
const failingPrompt = 'A drone flies through a ruined cathedral, ivy on the walls';
const runningPrompts = [
  'A tram crosses a bridge in the rain, city lights in the puddles',
  'Slow pan across a potter’s hands shaping clay, warm side light',
  'Aerial shot of terraced rice fields at sunrise, low clouds',
  'Two foxes chase each other through fresh snow, telephoto lens',
  'A sailboat heels over in strong wind, spray on the lens',
];
/** At once; the other running prompts wait. */
const engineTasksMax = 3;

export async function seedDemoInstallation(service: TestService): Promise<DemoInstallation> {
  const seeded: DemoCustomer[] = [];
  for (const [index, customer] of customers.entries()) {
    seeded.push(await seedCustomer(service, customer, index));
  }
  const studio = await seedStudio(service, {
    prompts: drawnPrompts,
    size: { resolution: '720p', duration: 5 },
    seedHistory: (account) => seedPast(service, account, { days: 210 }),
  });
  const engine = await connectEngine(service);
  await seedOperations(service, seeded);
  for (const [index, prompt] of [failingPrompt, ...runningPrompts].entries()) {
    const input = { prompt, resolution: '480p', duration: 5 };
    await done(seeded[index]!.client.create({ model: 'vidgen-2-0-mini', input }));
  }
  await addUpPast(service);
  await seedNotices(service, studio.account, seeded);
  return {
    ...{ ...studio, suspended: seeded[6]!.id },
    async close() {
      await studio.close();
      await engine.close();
    },
  };
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
): Promise<DemoCustomer> {
  const { id, client } = await service.account({ name });
  const invitation = `/admin/accounts/${id}/invitations`;
  const { link } = await done(service.admin.post(invitation, { role: 'owner', email }));
  await followLink(service.url, String(link), { name: person, email });
  const hasTasks = index % activeEvery === 0;
  await seedPast(service, id, { days: 3 + index * 17, hasTasks });
  return { id, client };
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
  if (hasTasks) await seedTaskHistory(db, { account });
}

/** Makes lists, searches and the overview see what was inserted with times in the past. */
async function addUpPast({ db }: TestService): Promise<void> {
  const since = `date_trunc('day', now() - interval '29 days', 'UTC')`;
  // The running service may have added up yesterday already.
  await db.transaction(async (tx) => {
    const days = ['usage_days', 'installation_days', 'installation_times', 'provider_days'];
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

/** Connects an engine that finishes no video. */
async function connectEngine({ admin }: TestService): Promise<FakeOpenAiVideos> {
  const engine = await FakeOpenAiVideos.start({
    ...{ dialect: 'vllm', apiKey: 'sk-engine-8f2c-0x41' },
    onCreate: (video) => {
      const isFailing = video.create.fields.prompt === failingPrompt;
      video.status = isFailing ? 'failed' : 'in_progress';
      video.error = isFailing ? { code: 'internal', message: 'out of memory' } : null;
      video.progress = 12 + ((video.id.charCodeAt(video.id.length - 1) * 7) % 80);
    },
  });
  const models = { 'vidgen-2-0-mini': servedModel };
  await done(
    admin.post('/admin/providers', {
      ...{ name: 'engine', kind: 'openai-videos', dialect: 'vllm', base_url: engine.baseUrl },
      ...{ api_key: engine.apiKey, concurrency: engineTasksMax, models },
    }),
  );
  await done(admin.post('/admin/routes/vidgen-2-0-mini', { providers: ['engine'] }));
  return engine;
}

/** Accounts that are suspended or limited, codes, and a refund that waits. */
async function seedOperations(
  { admin, account }: TestService,
  seeded: readonly DemoCustomer[],
): Promise<void> {
  const act = (index: number, path: string, body: object) =>
    done(admin.post(`/admin/accounts/${seeded[index]!.id}/${path}`, body));
  await act(6, 'suspend', { note: 'Invoice 2106 unpaid since 14 October' });
  const limits = { creates_per_minute: 120, running_max: 40 };
  await done(admin.send('PATCH', `/admin/accounts/${seeded[3]!.id}`, limits));
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

async function seedNotices(
  { db }: TestService,
  studio: string,
  seeded: readonly DemoCustomer[],
): Promise<void> {
  const url = 'https://hooks.harbor-pine.example/vidgen';
  const notices: NewNotice[] = [
    {
      ...{ kind: 'webhook_failing', accountId: seeded[0]!.id, subject: url },
      detail: { url, deliveries: 7 },
    },
    {
      ...{ kind: 'provider_breaker_open', accountId: null, subject: 'engine' },
      detail: { provider: 'engine', error: 'HTTP 503: the service is temporarily unavailable' },
    },
    {
      ...{ kind: 'key_cap_reached', accountId: studio, subject: 'website' },
      detail: { key_id: 'key_website', key_name: 'Website', cap: 2_000, period: 'month' },
    },
  ];
  for (const notice of notices) await db.transaction((tx) => raiseNotice(tx, notice));
}
