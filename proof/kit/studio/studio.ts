/** The installation of the screenshots: Driftwood Films, a studio with a team, and 119 others. */
import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { type SeededStudio, seedStudio } from '../dashboard-seed.ts';
import type { startService } from '../service.ts';
import { addUpPast, type PastCustomer, seedPastCustomers, seedPastOf } from './installation.ts';
import { drawnPrompts } from './names.ts';
import {
  connectProviders,
  seedNotices,
  seedOperations,
  seedPastAuditLog,
  seedRunningTasks,
} from './operations.ts';
import { insertPastGrants, type PastGrant } from './past-tasks.ts';

type Service = Awaited<ReturnType<typeof startService>>;

export type StudioInstallation = SeededStudio & { readonly customers: readonly PastCustomer[] };

const studioAgeDays = 210;
const studioTasksPerDay = 3;
const posterPixels = 640;

export async function seedStudioInstallation(service: Service): Promise<StudioInstallation> {
  const { db } = service;
  const customers = await seedPastCustomers(db);
  let studioPast: Pick<PastCustomer, 'stored'> = { stored: [] };
  let engine: Awaited<ReturnType<typeof connectProviders>> | undefined;
  const studio = await seedStudio(service, {
    prompts: drawnPrompts,
    size: { resolution: '720p', duration: 5 },
    async seedHistory(accountId) {
      const past = await seedStudioPast(service, accountId);
      // The audit log is ordered by ID, so what was done in the past is inserted first.
      await seedPastAuditLog(db, [...customers, past]);
      engine = await connectProviders(service);
      await seedOperations(service, customers);
      studioPast = past;
    },
  });
  await linkResults(service, studio, [studioPast, ...customers]);
  await seedRunningTasks(service, customers);
  await seedInvitations(service, studio.account);
  await addUpPast(db);
  await seedNotices(service, { studio: studio.account, customers });
  return {
    ...{ ...studio, customers },
    async close() {
      await studio.close();
      await engine?.close();
    },
  };
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** Beside the first one and a top-up, for what the studio creates now. */
const studioGrants: readonly PastGrant[] = [
  { at: daysAgo(103.4), amount: 5_000, note: 'Invoice 2019' },
  { at: daysAgo(41.7), amount: 10_000, note: 'Invoice 2043' },
  { at: daysAgo(8.2), amount: 5_000, note: 'Invoice 2051' },
];

async function seedStudioPast({ db }: Service, accountId: string): Promise<PastCustomer> {
  const { rows } = await db.query<{ id: string }>(
    `select id from api_keys where account_id = $1 and mode = 'live'`,
    [accountId],
  );
  const createdAt = daysAgo(studioAgeDays);
  const keyId = rows[0]!.id;
  const at = createdAt.toISOString();
  await db.query('update accounts set created_at = $2 where id = $1', [accountId, at]);
  await db.query('update api_keys set created_at = $2, name = $3 where id = $1', [
    ...[keyId, at, 'Render farm'],
  ]);
  const account = { name: 'Driftwood Films', keyId, createdAt };
  const testGrant = { at: daysAgo(studioAgeDays - 1), amount: 5_000, note: 'Test credits' };
  return await db.transaction(async (tx) => {
    await insertPastGrants(tx, { accountId, mode: 'test' }, [testGrant]);
    const past = await seedPastOf(tx, {
      ...{ ...account, accountId, perDay: studioTasksPerDay, furtherGrants: studioGrants },
    });
    return { ...account, id: accountId, owner: 'mira.okafor@driftwood.example', key: '', ...past };
  });
}

/** Tasks of the last days share the videos that were drawn for the studio. */
async function linkResults(
  { home }: Service,
  { drawn }: SeededStudio,
  customers: readonly Pick<PastCustomer, 'stored'>[],
): Promise<void> {
  const folderOf = (taskId: string) => join(home, 'results', taskId, '1');
  const posters = [];
  for (const { id } of drawn) {
    const source = join(folderOf(id), 'last-frame.jpg');
    const file = join(home, `${id}-poster.jpg`);
    await writeFile(file, await posterOf(await readFile(source)));
    posters.push({ poster: file, video: join(folderOf(id), 'video.mp4') });
  }
  for (const { taskId, drawing } of customers.flatMap(({ stored }) => stored)) {
    await mkdir(folderOf(taskId), { recursive: true });
    const { poster, video } = posters[drawing]!;
    await link(poster, join(folderOf(taskId), 'poster.jpg'));
    await link(video, join(folderOf(taskId), 'video.mp4'));
  }
}

async function posterOf(image: Buffer): Promise<Buffer> {
  const frame = await loadImage(image);
  const height = Math.round((posterPixels * frame.height) / frame.width);
  const canvas = createCanvas(posterPixels, height);
  canvas.getContext('2d').drawImage(frame, 0, 0, posterPixels, height);
  return canvas.toBuffer('image/jpeg', 80);
}

async function seedInvitations({ admin }: Service, account: string): Promise<void> {
  for (const request of [
    { role: 'developer', email: 'noor.elamin@driftwood.example' },
    { role: 'viewer', email: 'finance@driftwood.example' },
  ]) {
    await admin.post(`/admin/accounts/${account}/invitations`, request);
  }
}
