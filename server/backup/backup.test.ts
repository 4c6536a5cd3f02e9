/** A backup of a service on PostgreSQL, restored after everything was lost. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  configOf,
  filesIn,
  startBackupFixture,
  tableDigests,
} from '../../proof/kit/backup-fixture.ts';
import { createTask } from '../../proof/kit/journey.ts';
import { composeSecond } from '../../proof/kit/second-process.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { checkInvariants } from '../lifecycle/checks/invariants.ts';
import { readRestoreMark } from '../process/home-marks.ts';
import { newBackupId } from './backup-store.ts';
import { findManifest, manifestPath, writeManifest } from './manifest.ts';

const fixture = await startBackupFixture();
let firstId: string;
after(() => fixture.close());

test('what was backed up is restored: rows, files, keys and invariants', async () => {
  const { service, receiver } = fixture;
  const tasks = await Promise.all(
    [1, 2, 3].map(() => createTask(service, { callback_url: receiver.url })),
  );
  for (const task of tasks) assert.equal((await task.final()).status, 'completed');
  await receiver.waitForWebhooks(3);
  const { id } = await fixture.backUp();
  firstId = id;
  const original = await tableDigests(service.databaseUrl);
  await using target = await fixture.emptyTarget();
  assert.equal(await fixture.restore(target), true);
  assert.deepEqual(await tableDigests(target.databaseUrl), original);
  const results = await filesIn(target.home);
  assert.deepEqual(results, await filesIn(service.home));
  assert.equal(results.length, 3);
  assert.equal(readRestoreMark(target.home), null);
  // The same secret, storage mark and rows: a process of the service starts on them.
  await using second = await composeSecond(target, { environment: { VIDGEN_ROLE: 'all' } });
  assert.deepEqual((await checkInvariants(second.db)).ok, true);
});

test('only the owner can read a backup', () => {
  const modes = readdirSync(join(fixture.backups, firstId), {
    recursive: true,
    encoding: 'utf8',
  }).map((name) => statSync(join(fixture.backups, firstId, name)).mode & 0o077);
  assert.deepEqual(new Set(modes), new Set([0]));
});

test('a backup that was cut is not restored, and the next one deletes it', async () => {
  const { id } = await fixture.backUp();
  rmSync(join(fixture.backups, manifestPath(id)));
  const newest = await findManifest(fixture.store, null);
  assert.notEqual(newest.id, id);
  await assert.rejects(findManifest(fixture.store, id), /has no complete backup/);
  await fixture.backUp();
  assert.equal(existsSync(join(fixture.backups, id)), false);
});

test('an installation that is not empty is refused, and stays as it is', async () => {
  const { service } = fixture;
  const before = await tableDigests(service.databaseUrl);
  await assert.rejects(fixture.restore({ config: fixture.config }), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /names a database that has tables; name an empty one/);
    return true;
  });
  await using target = await fixture.emptyTarget();
  const onlyFiles = configOf({ home: service.home, databaseUrl: target.databaseUrl });
  await assert.rejects(fixture.restore({ config: onlyFiles }), /the storage is not empty/);
  const own = readConfig({ VIDGEN_HOME: join(fixture.folder, 'own') });
  cpSync(fixture.backups, join(own.home, 'postgres'), { recursive: true });
  await assert.rejects(fixture.restore({ config: own }), /has a database already/);
  assert.deepEqual(await tableDigests(service.databaseUrl), before);
});

test('a backup of a newer version is refused', async () => {
  const newest = await findManifest(fixture.store, null);
  const migrations = [...newest.migrations, { name: '9000_later', digest: '0'.repeat(64) }];
  const id = '29991231T000000Z-000000';
  await writeManifest(fixture.store, { ...newest, id, migrations });
  await using target = await fixture.emptyTarget();
  await assert.rejects(fixture.restore(target, id), /migrated by a newer vidgen \(9000_later\)/);
  assert.equal(existsSync(target.home), false);
  await fixture.store.removeBackup(id);
});

test('of two backups in one second the later one is the newest', () => {
  const earlier = newBackupId(new Date(1009));
  const later = newBackupId(new Date(1010));
  assert.ok(earlier < later);
});
