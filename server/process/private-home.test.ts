/**
 * What other users of the machine can read in a home directory that is open to them.
 *
 * Thorough: starts the service as several users.
 */
import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reservePort, ServiceProcess } from '../../proof/faults/service-process.ts';
import { textToVideo } from '../../proof/kit/journey.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { clientOf, makeAccount } from '../../proof/kit/service.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';

const skip = process.platform === 'win32' && 'Windows has no modes';
const database = await useDatabase();

test('a wide home is reported, and everything in it is private', { skip }, async () => {
  const home = makeTemporaryFolder('private-home');
  const logFile = join(makeTemporaryFolder('private-home-log'), 'log');
  chmodSync(home, 0o755);
  const token = 'an admin token of thirty-two byte';
  await using service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      PORT: String(await reservePort()),
      VIDGEN_ADMIN_TOKEN: token,
      VIDGEN_DATABASE_URL: database.url,
      VIDGEN_SELF_TEST: 'off',
    },
    logFile,
  });
  await service.waitUntilServing();
  const admin = clientOf(service.url, token);
  const { client } = await makeAccount(service.url, admin, { test: 100, mode: 'test' });
  const { status, body } = await client.create(textToVideo);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await client.final(body.taskId as string)).status, 'completed');
  const entries = readdirSync(home, { recursive: true, encoding: 'utf8' });
  assert.ok(entries.length > 5, entries.join());
  const open = entries.filter((entry) => (lstatSync(join(home, entry)).mode & 0o077) !== 0);
  assert.deepEqual(open, []);
  assert.match(readFileSync(logFile, 'utf8'), /"level":"warn".*home directory is open to other/);
  await service.stop();
});
