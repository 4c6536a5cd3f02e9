/**
 * An upgrade: this version serves while the next one, which has one more migration, starts beside
 * it on the same database, and takes over.
 *
 * Thorough: runs two versions side by side.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { readMigrations } from '../../server/database/migrate.ts';
import { Installation } from '../faults/installation.ts';
import { reservePort } from '../faults/service-process.ts';
import { clientOf, testAdminToken } from '../kit/service.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const folder = makeTemporaryFolder('upgrade');

const repository = join(import.meta.dirname, '../..');

/** Copies this version, with a migration that changes a table in use; returns its program. */
function makeNextVersion(): string {
  const next = join(folder, 'next');
  const program = ['server', 'contract', 'renderer', 'presets', 'package.json'];
  const isOurs = (path: string) => basename(path) !== 'node_modules';
  for (const name of program) {
    cpSync(join(repository, name), join(next, name), { recursive: true, filter: isOurs });
  }
  const number = String(readMigrations().length + 1).padStart(4, '0');
  const sql = `alter table tasks add column rating integer;\n`;
  writeFileSync(join(next, `server/database/migrations/${number}_rating.sql`), sql);
  const packages = join(repository, 'node_modules');
  const modules = join(next, 'node_modules');
  mkdirSync(join(modules, '@vidgen'), { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name !== '@vidgen') symlinkSync(join(packages, name), join(modules, name));
  }
  for (const name of readdirSync(join(packages, '@vidgen')).filter((one) =>
    program.includes(one),
  )) {
    symlinkSync(join(next, name), join(modules, '@vidgen', name));
  }
  return join(next, 'server/main.ts');
}

test('serves while the next version migrates, hands over, and is refused later', async () => {
  const program = makeNextVersion();
  const through = ['sh', '-c', `exec "$1" --disable-warning=ExperimentalWarning ${program}`, 'sh'];
  await using installation = await Installation.open();
  const { clients } = installation;
  const earlier = await installation.startServing();
  await installation.account();
  clients.start();
  const created = (count: number) => waitUntil(() => clients.acknowledged.size >= count);
  await created(20);
  const beside = { port: await reservePort(), logFile: join(folder, 'beside'), through };
  await installation.start(beside).waitUntilServing();
  await created(clients.acknowledged.size + 40);
  assert.equal(earlier.hasExited, false, earlier.output());
  assert.equal((await earlier.stop()).code, 0);
  const logFile = join(folder, 'log');
  await installation.start({ logFile, through }).waitUntilServing();
  await created(clients.acknowledged.size + 20);
  await clients.stop();
  const { key } = await installation.account();
  const client = clientOf(installation.url, key);
  for (const id of clients.acknowledged.values()) await client.final(id);
  const { rejections, internalErrors } = clients;
  assert.deepEqual({ rejections, internalErrors }, { rejections: [], internalErrors: [] });
  const { body } = await clientOf(installation.url, testAdminToken).get('/admin/audit');
  assert.deepEqual(
    AuditResponse.parse(body).checks.filter(({ ok }) => !ok),
    [],
  );
  const refused = installation.start({
    port: await reservePort(),
    logFile: join(folder, 'refused'),
  });
  await assert.rejects(refused.waitUntilServing(), /migrated by a newer vidgen/);
  await installation.killAll();
});
