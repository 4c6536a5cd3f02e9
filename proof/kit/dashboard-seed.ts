/**
 * An installation with a past: accounts, keys, tasks of every end, deliveries that arrived and some
 * that did not, a refund that waits. What every page of the dashboard has something to show of.
 */
import assert from 'node:assert/strict';
import { createCanvas } from '@napi-rs/canvas';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { startMediaServer } from './media-server.ts';
import { followLink } from './people.ts';
import { startReceiver } from './receiver.ts';
import type { TestService } from './service.ts';

/** Nobody's markup: wherever it is shown, it is text. */
export const hostilePrompt =
  '<img src=x onerror="document.title=\'taken over\'"><b>A storm</b> over the sea & {{cliffs}}';

export type SeededDashboard = {
  readonly account: string;
  readonly completed: string;
  readonly failed: string;
  readonly hostile: string;
  readonly fromImage: string;
  close(): Promise<void>;
};

export const seedSettings = { VIDGEN_WEBHOOK_RETRIES: '1s,1s,1s,1s,1s' };

const colleagues = [
  ['Mira Okafor', 'owner'],
  ['Jonas Lindqvist', 'viewer'],
] as const;
const emailOf = (name: string) => `${name.toLowerCase().replace(' ', '.')}@northwind.example`;

type TaskInput = { readonly prompt: string; readonly [field: string]: unknown };

const small = { resolution: '480p', duration: 4 };

export async function seedDashboard(
  service: TestService,
  /** What happened before the story. */
  seedHistory?: (account: string) => Promise<void>,
): Promise<SeededDashboard> {
  const { admin } = service;
  const receiver = await startReceiver();
  const media = await startMediaServer();
  const balances = { live: 12_840, test: 5000 };
  const { id, client } = await service.account({ ...balances, name: 'Northwind Studio' });
  await seedHistory?.(id);
  const createKey = async (name: string, mode: string) =>
    (await admin.post(`/admin/accounts/${id}/keys`, { name, mode })).body as Record<string, string>;
  const test = service.client((await createKey('Staging', 'test')).key ?? '');
  const old = await createKey('Old laptop', 'live');
  await admin.send('DELETE', `/admin/keys/${old.id}`);

  await inviteColleagues(service, id);

  const createTask = async (creator: typeof client, input: TaskInput, callbackUrl?: string) => {
    const { status, body } = await creator.create({
      model: 'vidgen-2-5',
      input: { ...small, ...input },
      ...(callbackUrl ? { callback_url: callbackUrl } : {}),
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.taskId as string;
  };
  const completed = await createTask(
    client,
    { prompt: 'Waves at dawn below a lighthouse, slow dolly in', return_last_frame: true },
    receiver.url,
  );
  const fromImage = await createTask(client, {
    prompt: 'The camera drifts to the right while clouds pass',
    generation_type: 'image-to-video',
    image_urls: [media.serve('harbour.png', harborImage())],
  });
  const hostile = await createTask(client, { prompt: hostilePrompt });
  const failed = await createTask(
    test,
    { prompt: 'A quiet street [test:fail]' },
    `${receiver.url}/x`,
  );
  await createTask(test, { prompt: 'Something forbidden [test:reject]' });
  const slow = await createTask(test, { prompt: 'A glacier, very slowly [test:slow]' });
  await admin.post(`/admin/tasks/${slow}/cancel`);
  receiver.onWebhook(({ path }, response) =>
    path.endsWith('/x')
      ? response.writeHead(500).end('{"sorry": true}')
      : response.writeHead(200).end(),
  );
  for (const task of [completed, fromImage, hostile]) await client.final(task);
  await test.final(failed);
  await seedFailedRefund(service);
  const codes = { amount: 500, mode: 'live', count: 3, note: 'Workshop in May' };
  await admin.post('/admin/redemption-codes', codes);
  return {
    account: id,
    completed,
    failed,
    hostile,
    fromImage,
    async close() {
      await receiver.close();
      await media.close();
    },
  };
}

async function inviteColleagues({ url, admin }: TestService, account: string): Promise<void> {
  for (const [name, role] of colleagues) {
    const { body } = await admin.post(`/admin/accounts/${account}/invitations`, { role });
    await followLink(url, String(body.link), { name, email: emailOf(name) });
  }
}

/** A task that is still running when its account is closed cannot be refunded by itself. */
async function seedFailedRefund(service: TestService): Promise<void> {
  const { id, client } = await service.account({
    test: 100,
    mode: 'test',
    name: 'Former customer',
  });
  const { body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A long walk [test:slow]', ...small },
  });
  await service.admin.post(`/admin/accounts/${id}/close`);
  const { body: task } = await service.admin.post(`/admin/tasks/${body.taskId as string}/cancel`);
  assert.equal((task as AdminTask).billing_status, 'refund_failed');
}

/** Every page there is, by a name for its picture. */
export const dashboardPages = ({
  account,
  completed,
  failed,
}: SeededDashboard): Readonly<Record<string, string>> => ({
  overview: `/accounts/${account}?mode=live`,
  playground: `/accounts/${account}/playground?mode=live&task=${completed}`,
  tasks: `/accounts/${account}/tasks?mode=live`,
  task: `/accounts/${account}/tasks/${completed}?mode=live`,
  'task-failed': `/accounts/${account}/tasks/${failed}?mode=test`,
  'task-code': `/accounts/${account}/tasks/${completed}?mode=live&part=request`,
  keys: `/accounts/${account}/keys?mode=live`,
  credits: `/accounts/${account}/credits?mode=live`,
  usage: `/accounts/${account}/usage?mode=live`,
  webhooks: `/accounts/${account}/webhooks?mode=live`,
  members: `/accounts/${account}/members?mode=live`,
  profile: '/profile',
  'operator-accounts': '/operator/accounts',
  'operator-account': `/operator/accounts/${account}`,
  'operator-tasks': '/operator/tasks',
  'operator-refunds': '/operator/refunds',
  'operator-providers': '/operator/providers',
  'operator-codes': '/operator/codes',
  'operator-people': '/operator/people',
  'operator-audit-log': '/operator/audit-log',
  'operator-invariants': '/operator/invariants',
  'operator-system': '/operator/system',
  'not-found': '/operator/nothing-here',
});

/** A picture of one's own: evening over water. */
function harborImage(): Uint8Array {
  const canvas = createCanvas(960, 540);
  const context = canvas.getContext('2d');
  const sky = context.createLinearGradient(0, 0, 0, 540);
  for (const [at, color] of [
    [0, '#27406b'],
    [0.55, '#f2a65a'],
    [0.56, '#2f4858'],
    [1, '#0f1f2b'],
  ] as const) {
    sky.addColorStop(at, color);
  }
  context.fillStyle = sky;
  context.fillRect(0, 0, 960, 540);
  context.fillStyle = '#fff1d0';
  context.beginPath();
  context.arc(640, 270, 42, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = '#101820';
  context.fillRect(180, 190, 26, 130);
  context.fillRect(110, 300, 220, 26);
  return canvas.toBuffer('image/png');
}
