/**
 * Processes of one database must share their storage; one with another storage does not start
 * while results could be lost.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTask, startJourney } from '../../../proof/kit/journey.ts';
import { composeSecond } from '../../../proof/kit/second-process.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { ConfigError } from '../../config/config.ts';
import { readStorageMark } from '../../storage/open-storage.ts';

const environment = { VIDGEN_DATABASE_URL: 'postgres://127.0.0.1/of-the-test' };
const isRefusal = (error: unknown) => {
  assert.ok(error instanceof ConfigError);
  assert.equal(error.errors.length, 1);
  assert.match(error.message, /would store results in .*; set VIDGEN_HOME to the same \(shared\)/);
  return true;
};

test('refuses a process with another storage while the first runs', async () => {
  await using journey = await startJourney({ environment });
  const { service } = journey;
  const other = { home: makeTemporaryFolder('storage-mark'), databaseUrl: service.databaseUrl };
  await assert.rejects(composeSecond(other, { environment }), isRefusal);
  await using same = await composeSecond(service, { environment });
  assert.ok(same.worker);
});

test('refuses another storage while results of the first are stored', async () => {
  await using journey = await startJourney({ environment });
  const { service } = journey;
  const { final } = await createTask(service);
  assert.equal((await final()).status, 'completed');
  await service.db.query('update processes set storage_id = null');
  const other = { home: makeTemporaryFolder('storage-mark'), databaseUrl: service.databaseUrl };
  await assert.rejects(composeSecond(other, { environment }), isRefusal);
  await service.db.query(`update tasks set expires_at = now() - interval '1 second'`);
  await using accepted = await composeSecond(other, { environment });
  assert.ok(accepted.worker);
});

test('accepts a moved or copied results folder with its mark', async () => {
  await using journey = await startJourney({ environment });
  const { service } = journey;
  const home = makeTemporaryFolder('storage-mark');
  await mkdir(join(home, 'results'));
  const markIn = (folder: string) => join(folder, 'results', '.storage-id');
  await copyFile(markIn(service.home), markIn(home));
  await using moved = await composeSecond({ ...service, home }, { environment });
  assert.ok(moved.worker);
});

test('writes one mark when several processes start in a folder at once', async () => {
  const folder = makeTemporaryFolder('storage-mark');
  const marks = await Promise.all(Array.from({ length: 8 }, () => readStorageMark(folder)));
  assert.equal(new Set([...marks, await readStorageMark(folder)]).size, 1);
});
