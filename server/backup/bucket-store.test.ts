/**
 * Backups in a bucket, of files on the disk and in a bucket.
 *
 * Thorough: restores a database twice.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBackupFixture, tableDigests } from '../../proof/kit/backup-fixture.ts';
import { startFakeS3 } from '../../proof/kit/fake-s3.ts';
import { createTask } from '../../proof/kit/journey.ts';
import { readConfig } from '../config/config.ts';
import { parseS3Url } from '../storage/s3-settings.ts';
import { type BackupStore, openBucketStore } from './backup-store.ts';
import { createBackup } from './create-backup.ts';

const fixture = await startBackupFixture();
const fake = await startFakeS3();
const store = openBucketStore(parseS3Url(fake.url('backups/')), fake.environment);
after(async () => {
  await fixture.close();
  await fake.close();
});

const secret = 'a secret that only tests know, 32 long';
const print = () => {};

/** The keys of tasks below a prefix, with their sizes. */
const objectsIn = (prefix: string): string[] =>
  [...fake.objects]
    .filter(([key]) => key.startsWith(`${prefix}task_`))
    .map(([key, { body }]) => `${key.slice(prefix.length)} ${body.length}`)
    .sort();

async function bucketTarget(prefix: string) {
  const target = await fixture.emptyTarget();
  const config = readConfig({
    VIDGEN_HOME: target.home,
    VIDGEN_DATABASE_URL: target.databaseUrl,
    VIDGEN_STORAGE_URL: fake.url(prefix),
    VIDGEN_SECRET: secret,
    ...fake.environment,
  });
  return { ...target, config };
}

test('a backup in a bucket moves files from the disk to a bucket, and on to another', async () => {
  for (let count = 0; count < 3; count++) await (await createTask(fixture.service)).final();
  const first = await createBackup({ config: fixture.config, store, print });
  const original = await tableDigests(fixture.service.databaseUrl);
  await using one = await bucketTarget('one/');
  assert.equal(await fixture.restore(one, first.id, store), true);
  assert.deepEqual(await tableDigests(one.databaseUrl), original);
  assert.equal(objectsIn('one/').length, 3);
  const second = await createBackup({ config: one.config, store, print });
  await using two = await bucketTarget('two/');
  assert.equal(await fixture.restore(two, second.id, store), true);
  assert.deepEqual(objectsIn('two/'), objectsIn('one/'));
  assert.deepEqual(await tableDigests(two.databaseUrl), original);
  await assert.rejects(fixture.restore(two, first.id, store), /a database that has tables/);
});

test('a backup that another one deleted as incomplete is not reported as complete', async () => {
  const known = new Set(await store.listBackups());
  const deleting: BackupStore = {
    ...store,
    async write(path, content) {
      const part = await store.write(path, content);
      if (path.endsWith('/files.jsonl.gz')) await store.removeBackup(path.split('/')[0]!);
      return part;
    },
  };
  await assert.rejects(
    createBackup({ config: fixture.config, store: deleting, print }),
    /another backup to s3:\/\/videos\/backups\/ deleted this one as incomplete/,
  );
  for (const id of await store.listBackups()) assert.ok(known.has(id));
});
