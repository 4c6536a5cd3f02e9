/**
 * Backups under load, with files that are gone, with damage, and restores that are cut.
 *
 * Thorough: restores a database many times.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { filesIn, startBackupFixture } from '../../proof/kit/backup-fixture.ts';
import { createTask } from '../../proof/kit/journey.ts';
import { readConfig } from '../config/config.ts';
import { openPostgres } from '../database/postgres.ts';
import { markRestore, readRestoreMark } from '../process/home-marks.ts';
import { openFolderStore } from './backup-store.ts';
import { findDamage } from './find-damage.ts';
import { findManifest } from './manifest.ts';

const fixture = await startBackupFixture();
after(() => fixture.close());

test('a later backup copies only new files, and is whole without the earlier one', async () => {
  for (let count = 0; count < 3; count++) await (await createTask(fixture.service)).final();
  const { id: firstId } = await fixture.backUp();
  await (await createTask(fixture.service)).final();
  const { id, files } = await fixture.backUp();
  assert.equal(files.count, 4);
  assert.match(fixture.lines.findLast((line) => line.includes('copied'))!, / 1 copied$/);
  await fixture.store.removeBackup(firstId);
  await using target = await fixture.emptyTarget();
  assert.equal(await fixture.restore(target, id), true);
  assert.equal((await filesIn(target.home)).length, 4);
});

test('a result that expires during the backup is counted, a lost one is named', async () => {
  const { service } = fixture;
  const expiring = await createTask(service);
  const lost = await createTask(service);
  await expiring.final();
  await lost.final();
  for (const { taskId } of [expiring, lost]) {
    rmSync(join(service.home, 'results', taskId), { recursive: true });
  }
  const { files: before } = await fixture.backUp();
  assert.equal(before.lost.length, 2);
  await service.db.query(`update tasks set expires_at = now() where id = $1`, [expiring.taskId]);
  const { files } = await fixture.backUp();
  assert.equal(files.expired, 1);
  assert.deepEqual(
    files.lost.map((key) => key.split('/')[0]),
    [lost.taskId],
  );
});

test('damage anywhere is found before anything changes', async () => {
  const { id } = await findManifest(fixture.store, null);
  const [key] = readdirSync(join(fixture.backups, id, 'files'));
  const files = ['tables/tasks.copy.gz', 'files.jsonl.gz', `files/${key}/1/video.mp4`];
  for (const file of [...files, 'manifest.json']) {
    const copy = join(fixture.folder, 'damaged');
    cpSync(join(fixture.backups, id), join(copy, id), { recursive: true });
    damage(join(copy, id, file));
    await using target = await fixture.emptyTarget();
    await assert.rejects(fixture.restore(target, id, openFolderStore(copy)), /damaged/, file);
    assert.equal(readRestoreMark(target.home), null);
    const database = await openPostgres(target.databaseUrl, { connectionsMax: 1 });
    const { rows } = await database.query(`select to_regclass('accounts') as "table"`);
    await database.close();
    assert.deepEqual(rows, [{ table: null }]);
    rmSync(join(copy, id, file));
    await assert.rejects(
      fixture.restore(target, id, openFolderStore(copy)),
      /damaged|no complete/,
      file,
    );
    rmSync(copy, { recursive: true });
  }
});

/** Changes one byte, in every backup that links to the file. */
function damage(file: string) {
  const content = readFileSync(file);
  content[content.length >> 1]! ^= 1;
  writeFileSync(file, content);
}

const videoIn = (id: string) =>
  readdirSync(join(fixture.backups, id, 'files'), { recursive: true, encoding: 'utf8' }).find(
    (name) => name.endsWith('.mp4'),
  )!;

test('a damaged file does not spread, is named, and blocks no restore', async () => {
  await (await createTask(fixture.service)).final();
  const { id: earlier } = await fixture.backUp();
  const key = videoIn(earlier);
  damage(join(fixture.backups, earlier, 'files', key));
  const { id } = await fixture.backUp();
  assert.match(fixture.lines.join('\n'), new RegExp(`${earlier}/files/${key} is damaged`));
  const damageOf = async (one: string) =>
    findDamage(fixture.store, await findManifest(fixture.store, one));
  assert.deepEqual(await damageOf(earlier), new Set([`${earlier}/files/${key}`]));
  assert.deepEqual(await damageOf(id), new Set());
  await using target = await fixture.emptyTarget();
  await assert.rejects(fixture.restore(target, earlier), /--without-damaged-files/);
  const rest = { ...target, withoutDamagedFiles: true };
  assert.equal(await fixture.restore(rest, earlier), true);
  assert.ok(fixture.lines.includes(`Lost: files/${key}`));
  assert.ok((await filesIn(target.home)).every((name) => !name.startsWith(key)));
  damage(join(fixture.backups, earlier, 'tables/tasks.copy.gz'));
  await using other = await fixture.emptyTarget();
  const strict = { ...other, withoutDamagedFiles: true };
  await assert.rejects(fixture.restore(strict, earlier), /tables\/tasks\.copy\.gz is damaged/);
});

test('a restore that was cut after its commit is found complete', async () => {
  await using target = await fixture.emptyTarget();
  const { id } = await findManifest(fixture.store, null);
  await fixture.restore(target);
  markRestore(target.home, id);
  assert.equal(await fixture.restore(target), true);
  assert.equal(
    fixture.lines.at(-1),
    'The restore that was cut had been completed: start the service.',
  );
  assert.equal(readRestoreMark(target.home), null);
});

test('a restore with another secret than that of the backup is refused', async () => {
  await using target = await fixture.emptyTarget();
  const config = readConfig({
    VIDGEN_HOME: target.home,
    VIDGEN_DATABASE_URL: target.databaseUrl,
    VIDGEN_SECRET: 'another secret that is also 32 long',
  });
  await assert.rejects(fixture.restore({ config }), { name: 'SecretMismatchError' });
  assert.equal(await fixture.restore(target), true);
});
