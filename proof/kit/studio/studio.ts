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

type Service = Awaited<ReturnType<typeof startService>>;

export type StudioInstallation = SeededStudio & { readonly customers: readonly PastCustomer[] };

const studioAgeMs = 210 * 86_400_000;
const studioTasksPerDay = 3;
const posterPixels = 640;

export async function seedStudioInstallation(service: Service): Promise<StudioInstallation> {
  const { db } = service;
  const customers = await seedPastCustomers(db);
  await seedPastAuditLog(db, customers);
  const engine = await connectProviders(service);
  await seedOperations(service, customers);
  let studioPast: Pick<PastCustomer, 'stored'> = { stored: [] };
  const studio = await seedStudio(service, {
    prompts: drawnPrompts,
    size: { resolution: '720p', duration: 5 },
    async seedHistory(accountId) {
      studioPast = await seedStudioPast(service, accountId);
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
      await engine.close();
    },
  };
}

async function seedStudioPast(
  { db }: Service,
  accountId: string,
): Promise<Pick<PastCustomer, 'stored'>> {
  const { rows } = await db.query<{ id: string }>(
    `select id from api_keys where account_id = $1 and mode = 'live'`,
    [accountId],
  );
  const createdAt = new Date(Date.now() - studioAgeMs);
  const id = rows[0]!.id;
  const at = createdAt.toISOString();
  await db.query('update accounts set created_at = $2 where id = $1', [accountId, at]);
  await db.query('update api_keys set created_at = $2, name = $3 where id = $1', [
    ...[id, at, 'Render farm'],
  ]);
  const past = { accountId, name: 'Driftwood Films', keyId: id, createdAt };
  return await db.transaction((tx) => seedPastOf(tx, { ...past, perDay: studioTasksPerDay }));
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
