/**
 * A small video studio for the dashboard: an account with credits, keys, a team of three, completed
 * tasks and delivered webhooks.
 */
import assert from 'node:assert/strict';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { startMediaServer } from './media-server.ts';
import { followLink } from './people.ts';
import { startReceiver } from './receiver.ts';
import type { Client, TestService } from './service.ts';

export type SeededStudio = Awaited<ReturnType<typeof seedStudio>>;

type StudioTask = {
  readonly input: { readonly prompt: string; readonly [field: string]: unknown };
  readonly callbackUrl?: string;
};

export type StudioOptions = {
  /** Further completed tasks, oldest first; every third sends a webhook. */
  readonly prompts?: readonly string[];
  readonly size?: { readonly resolution: string; readonly duration: number };
  /** Runs before the first ledger entry, and replaces the credits of today. */
  readonly seedHistory?: (account: string) => Promise<void>;
};

const team = [
  ['Mira Okafor', 'owner'],
  ['Jonas Lindqvist', 'developer'],
  ['Priya Raman', 'viewer'],
] as const;
const emailOf = (name: string) => `${name.toLowerCase().replace(' ', '.')}@driftwood.example`;

export async function seedStudio(
  service: TestService,
  { prompts = [], size = { resolution: '480p', duration: 4 }, seedHistory }: StudioOptions = {},
) {
  const receiver = await startReceiver();
  const media = await startMediaServer();
  const { id, client } = await service.account({ name: 'Driftwood Films' });
  if (seedHistory) await seedHistory(id);
  else await seedCredits(service, id);
  await service.admin.send('PATCH', `/admin/accounts/${id}`, { running_max: 20 });
  const testClient = await seedKeys(service, id);
  await inviteTeam(service, id);

  const createTask = async (creator: Client, { input, callbackUrl }: StudioTask) => {
    const { status, body } = await creator.create({
      model: 'vidgen-2-5',
      input: { ...size, ...input },
      ...(callbackUrl ? { callback_url: callbackUrl } : {}),
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.taskId as string;
  };
  // One after the other, so that no task waits for another.
  const finish = async (task: string) => {
    const end = await client.final(task);
    assert.equal(end.status, 'completed');
    return end;
  };
  for (const [index, prompt] of prompts.entries()) {
    const callback = index % 3 === 0 ? { callbackUrl: receiver.url } : {};
    const input = { prompt, return_last_frame: true };
    await finish(await createTask(client, { input, ...callback }));
  }
  const lighthouse = 'Waves at dawn below a lighthouse, slow dolly in';
  const completed = await createTask(client, {
    input: { prompt: lighthouse, return_last_frame: true },
  });
  const { data } = await finish(completed);
  const image = media.serve('lighthouse.jpg', await cropFrame(data!.last_frame_url!));
  const fromImage = await createTask(client, {
    input: {
      prompt: 'The camera drifts to the right while clouds pass',
      generation_type: 'image-to-video',
      image_urls: [image],
    },
    callbackUrl: receiver.url,
  });
  await finish(fromImage);
  await receiver.waitForWebhooks(1);
  return {
    account: id,
    completed,
    /** Completed, from an image, and announced by a webhook. */
    fromImage,
    client,
    testClient,
    receiver,
    createTask,
    async close(): Promise<void> {
      await receiver.close();
      await media.close();
    },
  };
}

/** The upper right part of a frame, without the caption and the mark of a preview. */
async function cropFrame(url: string): Promise<Buffer> {
  const frame = await loadImage(Buffer.from(await (await fetch(url)).arrayBuffer()));
  const width = frame.width * 0.6;
  const height = frame.height * 0.6;
  const canvas = createCanvas(960, 540);
  canvas
    .getContext('2d')
    .drawImage(frame, frame.width - width, frame.height * 0.1, width, height, 0, 0, 960, 540);
  return canvas.toBuffer('image/jpeg');
}

async function seedCredits({ admin }: TestService, account: string): Promise<void> {
  const grants = [
    { amount: 20_000, mode: 'live', note: 'Top-up, invoice 2051' },
    { amount: 5_000, mode: 'test', note: 'Test credits' },
  ];
  for (const grant of grants) await admin.post(`/admin/accounts/${account}/credits`, grant);
}

/** Adds three keys, one of them revoked, and returns a client of the test key. */
async function seedKeys({ admin, client }: TestService, account: string): Promise<Client> {
  const createKey = async (name: string, mode: string, more: object = {}) => {
    const { body } = await admin.post(`/admin/accounts/${account}/keys`, { name, mode, ...more });
    return body as { id: string; key: string };
  };
  await createKey('Website', 'live', { spend_cap: { credits: 2_000, period: 'month' } });
  const old = await createKey('Old laptop', 'live');
  await admin.send('DELETE', `/admin/keys/${old.id}`);
  return client((await createKey('Staging', 'test')).key);
}

async function inviteTeam({ url, admin }: TestService, account: string): Promise<void> {
  for (const [name, role] of team) {
    const { body } = await admin.post(`/admin/accounts/${account}/invitations`, { role });
    await followLink(url, String(body.link), { name, email: emailOf(name) });
  }
}

/** Every page of the dashboard, by the name of its screenshot. */
export const dashboardPages = ({
  account,
  completed,
  fromImage,
}: SeededStudio): Readonly<Record<string, string>> => ({
  overview: `/accounts/${account}?mode=live`,
  playground: `/accounts/${account}/playground?mode=live&task=${completed}`,
  tasks: `/accounts/${account}/tasks?mode=live`,
  task: `/accounts/${account}/tasks/${fromImage}?mode=live`,
  'task-code': `/accounts/${account}/tasks/${completed}?mode=live&part=request`,
  keys: `/accounts/${account}/keys?mode=live`,
  credits: `/accounts/${account}/credits?mode=live`,
  statement: `/accounts/${account}/credits/statement?mode=live`,
  usage: `/accounts/${account}/usage?mode=live`,
  webhooks: `/accounts/${account}/webhooks?mode=live`,
  members: `/accounts/${account}/members?mode=live`,
  settings: `/accounts/${account}/settings?mode=live`,
  profile: '/profile',
  notices: '/notices',
  'cli-login': '/login',
  'operator-overview': '/operator/overview',
  'operator-accounts': '/operator/accounts',
  'operator-account': `/operator/accounts/${account}`,
  'operator-tasks': '/operator/tasks',
  'operator-refunds': '/operator/refunds',
  'operator-providers': '/operator/providers',
  'operator-boxes': '/operator/boxes',
  'operator-models': '/operator/models',
  'operator-margin': '/operator/margin',
  'operator-codes': '/operator/codes',
  'operator-people': '/operator/people',
  'operator-audit-log': '/operator/audit-log',
  'operator-notices': '/operator/notices',
  'operator-system': '/operator/system',
  'not-found': '/operator/nothing-here',
});
