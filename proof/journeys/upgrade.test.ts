/**
 * Upgrades: data of earlier versions through every migration to now, on both kinds of database, and
 * an earlier version that serves while the new one migrates.
 *
 * Thorough: starts the service on several databases, and two versions side by side.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { openOwnPostgres } from '../../server/database/own-postgres.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { lockHome } from '../../server/home-lock.ts';
import { createLog } from '../../server/log.ts';
import { Installation } from '../faults/installation.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import {
  type EarlierSchema,
  earlierKeys,
  earlierSchemas,
  findEarlierCommit,
  loadEarlierData,
  unpackCommit,
} from '../kit/earlier-version.ts';
import { cloneDatabase, startPostgres } from '../kit/postgres.ts';
import { testSecret } from '../kit/seed.ts';
import { clientOf, testAdminToken } from '../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const folder = makeTemporaryFolder('upgrade');
after(() => deleteFolder(folder));

async function emptyDatabase() {
  const server = await startPostgres();
  return await cloneDatabase(server.url, 'template0');
}

async function fillOwnDatabase(home: string, schema: EarlierSchema): Promise<void> {
  using _lock = lockHome(home);
  const fill = ({ url }: { readonly url: string }) => loadEarlierData(url, schema);
  const server = await openOwnPostgres({ home, log: createLog('error'), fill });
  await server.stop();
}

async function startOn(home: string, databaseUrl: string | null): Promise<ServiceProcess> {
  mkdirSync(home, { recursive: true });
  const service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      PORT: String(await reservePort()),
      VIDGEN_SECRET: testSecret,
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_SELF_TEST: 'off',
      ...(databaseUrl === null ? {} : { VIDGEN_DATABASE_URL: databaseUrl }),
    },
    logFile: join(home, 'output'),
  });
  await service.waitUntilServing();
  return service;
}

async function assertSound(url: string): Promise<void> {
  const { body } = await clientOf(url, testAdminToken).get('/admin/audit');
  assert.deepEqual(
    AuditResponse.parse(body).checks.filter(({ ok }) => !ok),
    [],
  );
}

/** Keys, tasks and credits of the earlier version are there, and its unfinished tasks end. */
async function assertUpgraded({ url }: ServiceProcess, schema: EarlierSchema): Promise<void> {
  await assertSound(url);
  const keys = earlierKeys(schema);
  const failed = await clientOf(url, keys['Harbor test']!).get('/v1/tasks?limit=100');
  assert.equal((failed.body.items as unknown[]).length, 16);
  const live = clientOf(url, keys['Harbor live']!);
  const { items } = (await live.get('/v1/tasks')).body as { items: { status: string }[] };
  assert.deepEqual(
    items.map(({ status }) => status),
    ['completed'],
  );
  const orchard = clientOf(url, keys['Orchard live']!);
  const left = (await orchard.get('/v1/tasks')).body.items as { id: string }[];
  assert.equal(left.length, 3);
  for (const { id } of left) await orchard.final(id);
  const { status, body } = await live.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A boat after the upgrade', resolution: '480p', duration: 4 },
  });
  assert.equal(status, 200, JSON.stringify(body));
  await assertSound(url);
}

for (const schema of earlierSchemas) {
  test(`data at migration ${schema} is upgraded in our own PostgreSQL`, async () => {
    const home = join(folder, `own-${schema}`);
    await fillOwnDatabase(home, schema);
    const service = await startOn(home, null);
    await assertUpgraded(service, schema);
    assert.equal((await service.stop()).code, 0);
  });

  test(`data at migration ${schema} is upgraded in an external PostgreSQL`, async () => {
    const database = await emptyDatabase();
    await loadEarlierData(database.url, schema);
    const service = await startOn(join(folder, `external-${schema}`), database.url);
    await assertUpgraded(service, schema);
    assert.equal((await service.stop()).code, 0);
    await database.drop();
  });
}

async function readFailedRequests(logFiles: readonly string[]): Promise<string[]> {
  const logs = await Promise.all(logFiles.map((file) => readFile(file, 'utf8')));
  return logs.flatMap((log) => log.split('\n').filter((line) => line.includes('request failed')));
}

const commit = findEarlierCommit();
const skip = commit === null && 'this checkout has no history';

test('an earlier version serves on while the new one migrates, and hands over', {
  skip,
}, async () => {
  const program = unpackCommit(commit!, join(folder, 'earlier'));
  const database = await emptyDatabase();
  await loadEarlierData(database.url, '0036');
  await using installation = await Installation.open({
    environment: { VIDGEN_DATABASE_URL: database.url, VIDGEN_SECRET: testSecret },
  });
  const { clients } = installation;
  const earlier = installation.start({
    through: ['sh', '-c', `exec "$1" --disable-warning=ExperimentalWarning ${program}`, 'sh'],
  });
  await earlier.waitUntilServing();
  await installation.account();
  clients.start();
  const created = (count: number) => waitUntil(() => clients.acknowledged.size >= count);
  await created(20);
  const logFile = join(folder, 'beside');
  await installation.startServing({ port: await reservePort(), logFile });
  await created(clients.acknowledged.size + 40);
  assert.equal(earlier.hasExited, false, earlier.output());
  assert.equal((await earlier.stop()).code, 0);
  const nextLogFile = join(folder, 'next');
  await installation.startServing({ logFile: nextLogFile });
  await created(clients.acknowledged.size + 20);
  await clients.stop();
  const { key } = await installation.account();
  const client = clientOf(installation.url, key);
  for (const id of clients.acknowledged.values()) await client.final(id);
  const { rejections, internalErrors } = clients;
  const logs = [installation.logFile, logFile, nextLogFile];
  const logged = internalErrors.length > 0 ? await readFailedRequests(logs) : [];
  assert.deepEqual(
    { rejections, internalErrors, logged },
    { rejections: [], internalErrors: [], logged: [] },
  );
  await assertSound(installation.url);
  await installation.killAll();
  await database.drop();
});

test('an earlier version is refused once the database is newer', async () => {
  const database = await emptyDatabase();
  const db = await openPostgres(database.url, { connectionsMax: 1 });
  await db.query('create table migrations (name text primary key, digest text, applied_at date)');
  await db.query(`insert into migrations values ('9999_later', '')`);
  await db.close();
  const home = join(folder, 'refused');
  await assert.rejects(startOn(home, database.url), /migrated by a newer vidgen \(9999_later\)/);
  await database.drop();
});
