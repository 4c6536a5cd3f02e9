/**
 * A service whose storage fails for good says so in `/healthz`, and exits for its supervisor.
 * Thorough: waits for the database to stay away.
 */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reservePort, ServiceProcess } from '../../proof/faults/service-process.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { clientOf, startService } from '../../proof/kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';

/** A file where the folder was: no result can be stored. */
function breakStorage(home: string): void {
  renameSync(join(home, 'results'), join(home, 'elsewhere'));
  writeFileSync(join(home, 'results'), '');
}

function repairStorage(home: string): void {
  deleteFolder(join(home, 'results'));
  renameSync(join(home, 'elsewhere'), join(home, 'results'));
}

test('/healthz returns 503 with the reason until the storage works again', async () => {
  await using service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const { storeWatch } = service.parts;
  const healthz = async () => {
    const { status, body } = await clientOf(service.url, 'nobody').get('/healthz');
    return [status, body.checks];
  };
  breakStorage(service.home);
  for (let probes = 0; probes < 3; probes += 1) await storeWatch.probe();
  assert.deepEqual(await healthz(), [503, { database: 'ok', storage: 'not writable' }]);
  repairStorage(service.home);
  await storeWatch.probe();
  assert.deepEqual(await healthz(), [200, { database: 'ok' }]);
});

const database = await useDatabase();

test('the process exits with 1 and says why when the storage does not heal', async () => {
  const home = makeTemporaryFolder('store-lost');
  const logFile = join(home, 'said');
  await using service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      PORT: String(await reservePort()),
      VIDGEN_SELF_TEST: 'off',
      VIDGEN_DATABASE_URL: database.url,
      NODE_OPTIONS: `--import ${new URL('../../proof/kit/fast-store-probes.ts', import.meta.url)}`,
    },
    logFile,
  });
  await service.waitUntilServing();
  breakStorage(home);
  const { code } = await service.exited;
  assert.equal(code, 1);
  assert.match(readFileSync(logFile, 'utf8'), /"level":"fatal".*"store":"storage".*did not heal/);
});
