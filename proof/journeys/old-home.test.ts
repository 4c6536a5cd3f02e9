/**
 * The first start on a home directory of a version that had PGlite instead of PostgreSQL.
 *
 * Thorough: opens PGlite and creates a database, five times.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { makePgliteHome, providePglite } from '../kit/pglite-home.ts';
import { type SeededAccount, testSecret } from '../kit/seed.ts';
import { clientOf, testAdminToken } from '../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const folder = makeTemporaryFolder('old-home');
const services: ServiceProcess[] = [];
after(async () => {
  await Promise.all(services.filter(({ hasExited }) => !hasExited).map((one) => one.kill()));
  deleteFolder(folder);
});

const original = join(folder, 'original');
let account: SeededAccount;
before(async () => {
  account = await makePgliteHome(original);
});

let copies = 0;
function copyHome(): string {
  const home = join(folder, `home-${++copies}`);
  cpSync(original, home, { recursive: true });
  return home;
}

async function start(home: string, environment: Readonly<Record<string, string>> = {}) {
  const service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      PORT: String(await reservePort()),
      VIDGEN_SECRET: testSecret,
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_SELF_TEST: 'off',
      ...environment,
    },
    logFile: join(home, 'output'),
  });
  services.push(service);
  return service;
}

/** Everything that was there is there, and new rows continue after the old ones. */
async function assertMoved(service: ServiceProcess, { key, accountId }: SeededAccount) {
  await service.waitUntilServing();
  const admin = clientOf(service.url, testAdminToken);
  const audit = AuditResponse.parse((await admin.get('/admin/audit')).body);
  assert.deepEqual(
    audit.checks.filter(({ ok }) => !ok),
    [],
  );
  const { body } = await clientOf(service.url, key).get('/v1/tasks?limit=100');
  const tasks = body.items as { status: string }[];
  assert.equal(tasks.length, 100);
  assert.ok(tasks.every(({ status }) => status === 'completed'));
  const grant = await admin.post(`/admin/accounts/${accountId}/credits`, {
    amount: 5,
    mode: 'live',
    note: 'After the move',
  });
  assert.equal(grant.status, 201, JSON.stringify(grant.body));
}

test('the data moves to PostgreSQL, and the old files are kept', async () => {
  const home = copyHome();
  providePglite(home);
  const service = await start(home);
  await assertMoved(service, account);
  assert.match(service.output(), /^ {2}tasks {2}\d+$/m);
  assert.match(service.output(), /the old files are kept in .*database\.pglite-backup\.$/m);
  assert.equal((await service.stop()).code, 0);
  const expected = ['database', 'pglite-import', 'database.pglite-backup', 'postgres'];
  assert.deepEqual(
    expected.map((name) => existsSync(join(home, name))),
    [false, false, true, true],
  );
  const next = await start(home);
  await assertMoved(next, account);
  assert.equal(next.output().split('Moving the data').length, 2);
  await next.stop();
});

test('data at an older migration is migrated after it has moved', async () => {
  const home = join(folder, 'older');
  const older = await makePgliteHome(home, { lastMigration: '0013_looks_lane' });
  providePglite(home);
  const service = await start(home);
  await assertMoved(service, older);
  await service.stop();
});

test('a move that was killed starts over', async () => {
  const home = copyHome();
  providePglite(home);
  const service = await start(home);
  await waitUntil(() => /^ {2}accounts {2}/m.test(service.output()));
  await service.kill();
  assert.ok(!existsSync(join(home, 'postgres')));
  const next = await start(home);
  await assertMoved(next, account);
  assert.deepEqual(
    readdirSync(home).filter((name) => name.startsWith('postgres.new')),
    [],
  );
  await next.stop();
});

test('data that cannot be read is refused with a way out', async () => {
  const home = copyHome();
  providePglite(home);
  writeFileSync(join(home, 'database/global/pg_control'), 'damaged');
  const service = await start(home);
  assert.equal((await service.exited).code, 1);
  assert.match(
    service.output(),
    /could not be moved to PostgreSQL \(.*\); it is unchanged: start/s,
  );
});

test('without a registry the start says which command is needed', async () => {
  const home = copyHome();
  const service = await start(home, {
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: join(home, 'cache'),
  });
  const { code } = await service.exited;
  assert.equal(code, 1);
  assert.match(
    service.output(),
    /npm could not fetch .*run npm install --prefix \S+\/pglite-import @electric-sql\/pglite@0\./,
  );
  assert.ok(existsSync(join(home, 'database/PG_VERSION')));
});
