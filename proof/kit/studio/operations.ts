/** What an operator of 120 customers has done and has to look at: added through the API. */
import assert from 'node:assert/strict';
import type { Database } from '../../../server/database/database.ts';
import { type NewNotice, raiseNotice } from '../../../server/messages/notice.ts';
import { FakeOpenAiVideos, servedModel } from '../openai-videos/fake.ts';
import type { Client, TestService } from '../service.ts';
import type { PastCustomer } from './installation.ts';

const operators = ['sam@northlight.example', 'lena@northlight.example'] as const;

/** Entries of the audit log from before now, in the order of their times. */
export async function seedPastAuditLog(
  db: Database,
  customers: readonly PastCustomer[],
): Promise<void> {
  const [sam, lena] = operators;
  const rows = customers.flatMap(({ id, name, owner, createdAt, keyId, grants }, index) => {
    const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000).toISOString();
    const actor = index % 3 === 0 ? lena : sam;
    const role = { role: 'owner', email: owner };
    return [
      { at: at(0), actor, action: 'account.create', subject: id, detail: { name } },
      ...grants.map((grant) => ({
        ...{ at: grant.at.toISOString(), actor, action: 'credits.grant', subject: id },
        detail: { amount: grant.amount, mode: 'live', note: grant.note },
      })),
      { at: at(2), actor, action: 'member.invite', subject: id, detail: role },
      { at: at(9), actor: owner, action: 'member.join', subject: id, detail: { role: 'owner' } },
      {
        ...{ at: at(14), actor: owner, action: 'key.create', subject: keyId, account_id: id },
        detail: { account: id, mode: 'live', name: 'Production' },
      },
    ];
  });
  rows.sort((a, b) => a.at.localeCompare(b.at));
  const columns = 'at, actor, action, subject, detail, account_id';
  await db.query(
    `insert into audit_log (${columns})
     select ${columns} from jsonb_populate_recordset(null::audit_log, $1::jsonb)
     where at < now()`,
    [JSON.stringify(rows)],
  );
}

/** Connects three providers; only `engine` gets requests, and its videos stay unfinished. */
export async function connectProviders({ admin }: TestService): Promise<FakeOpenAiVideos> {
  const engine = await FakeOpenAiVideos.start({
    ...{ dialect: 'vllm', apiKey: 'sk-engine-8f2c-0x41' },
    onCreate: (video) => {
      video.status = 'in_progress';
      video.progress = 12 + ((video.id.charCodeAt(video.id.length - 1) * 7) % 80);
    },
  });
  const connections = [
    {
      ...{ name: 'fal', kind: 'fal', api_key: '4b1c9d3e:8a7f6e5d4c3b2a19', concurrency: 20 },
      models: { 'vidgen-2-0': 'bytedance/seedance-2.0' },
    },
    {
      ...{ name: 'modelark', kind: 'modelark', api_key: 'ark-51f6c2a8-77d1-4c0e', concurrency: 40 },
      base_url: 'https://ark.ap-southeast.bytepluses.com/api/v3',
      models: {
        'vidgen-2-0': 'dreamina-seedance-2-0-260128',
        'vidgen-2-0-fast': 'dreamina-seedance-2-0-fast-260128',
      },
    },
    {
      ...{ name: 'engine', kind: 'openai-videos', dialect: 'vllm', base_url: engine.baseUrl },
      ...{ api_key: engine.apiKey, concurrency: 5, models: { 'vidgen-2-0-mini': servedModel } },
    },
  ];
  for (const connection of connections) {
    await done(admin.post('/admin/providers', connection));
  }
  const routes = {
    'vidgen-2-0': ['fal', 'modelark'],
    'vidgen-2-0-fast': ['modelark'],
    'vidgen-2-0-mini': ['engine'],
  };
  for (const [model, providers] of Object.entries(routes)) {
    await done(admin.post(`/admin/routes/${model}`, { providers }));
  }
  return engine;
}

async function done(response: ReturnType<Client['post']>): Promise<Record<string, unknown>> {
  const { status, body } = await response;
  assert(status < 300, JSON.stringify(body));
  return body;
}

const runningPrompts = [
  'A tram crosses a bridge in the rain, city lights in the puddles',
  'Slow pan across a potter’s hands shaping clay, warm side light',
  'Aerial shot of terraced rice fields at sunrise, low clouds',
  'A violinist plays on an empty stage, dust in the spotlight',
  'Two foxes chase each other through fresh snow, telephoto lens',
  'A paper crane unfolds into a city map, stop motion',
  'Close-up of espresso pouring into a glass, slow motion',
  'A sailboat heels over in strong wind, spray on the lens',
  'Children run along a pier with a red kite, long shadows',
];

/** Five run at the engine; the others wait for it. */
export async function seedRunningTasks(
  { client }: TestService,
  customers: readonly PastCustomer[],
): Promise<void> {
  for (const [index, prompt] of runningPrompts.entries()) {
    const { key } = customers[3 + index * 12]!;
    const input = { prompt, resolution: '480p', duration: 5 };
    await done(client(key).create({ model: 'vidgen-2-0-mini', input }));
  }
}

/** Accounts that are suspended, closed, limited or corrected; codes; a refund that waits. */
export async function seedOperations(
  service: TestService,
  customers: readonly PastCustomer[],
): Promise<void> {
  const { admin } = service;
  const act = (index: number, path: string, body: object = {}) =>
    done(admin.post(`/admin/accounts/${customers[index]!.id}/${path}`, body));
  await act(6, 'suspend', { note: 'Invoice 2106 unpaid since 14 October' });
  await act(41, 'suspend', { note: 'Chargeback under review' });
  await act(88, 'close');
  await act(3, 'limits', { creates_per_minute: 120, running_tasks: 40 });
  const correction = { amount: 100, mode: 'live', note: 'Granted twice by mistake' };
  await act(15, 'deductions', correction);
  await act(27, 'credits', { amount: 250, mode: 'live', note: 'Goodwill: slow renders on Monday' });
  await seedCodes(service, customers);
  await seedWaitingRefund(service);
}

async function seedCodes(
  { admin }: TestService,
  customers: readonly PastCustomer[],
): Promise<void> {
  const batches = [
    { amount: 500, mode: 'live', count: 6, note: 'Motion design workshop, May' },
    { amount: 1_000, mode: 'live', count: 4, note: 'Film festival partners' },
    { amount: 2_500, mode: 'test', count: 2, note: 'Hackathon' },
  ];
  for (const batch of batches) {
    const body = await done(admin.post('/admin/redemption-codes', batch));
    const codes = body.items as { id: string; code: string; mode: string }[];
    for (const [index, { id, code }] of codes.entries()) {
      if (index % 3 === 0 && batch.mode === 'live') {
        const { id: account } = customers[20 + index]!;
        await done(admin.post(`/admin/accounts/${account}/redemptions`, { code }));
      } else if (index === 5) await done(admin.send('DELETE', `/admin/redemption-codes/${id}`));
    }
  }
}

/** The task of an account that is closed before the task ends cannot be refunded. */
async function seedWaitingRefund({ account, admin }: TestService): Promise<void> {
  const { id, client } = await account({ live: 500, name: 'Bellfounder Audio' });
  const input = { prompt: 'Church bells swing in slow motion', resolution: '480p', duration: 5 };
  const { taskId } = await done(client.create({ model: 'vidgen-2-0-mini', input }));
  await done(admin.post(`/admin/accounts/${id}/close`));
  await done(admin.post(`/admin/tasks/${taskId}/cancel`));
}

export async function seedNotices(
  { db }: TestService,
  { studio, customers }: { readonly studio: string; readonly customers: readonly PastCustomer[] },
): Promise<void> {
  const url = 'https://hooks.harbor-pine.example/vidgen';
  const notices: NewNotice[] = [
    {
      ...{ kind: 'low_balance', accountId: customers[12]!.id, subject: '' },
      detail: { available: 180, threshold: 500 },
    },
    {
      ...{ kind: 'webhook_failing', accountId: customers[0]!.id, subject: url },
      detail: { url, deliveries: 7 },
    },
    {
      ...{ kind: 'provider_breaker_open', accountId: null, subject: 'fal' },
      detail: { provider: 'fal', error: 'HTTP 503: the service is temporarily unavailable' },
    },
    {
      ...{ kind: 'key_cap_reached', accountId: studio, subject: 'website' },
      detail: { key_id: 'key_website', key_name: 'Website', cap: 2_000, period: 'month' },
    },
  ];
  for (const notice of notices) await db.transaction((tx) => raiseNotice(tx, notice));
}
