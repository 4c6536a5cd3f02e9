/**
 * Runs in the namespace of a disk: starts PostgreSQL as the service does and keeps it until the
 * test ends. `--no-fsync` plants a fault: PostgreSQL then acknowledges commits before they are on
 * the disk.
 */
import { join } from 'node:path';
import { openOwnPostgres } from '../../../server/database/own-postgres.ts';
import { findOwnBinaries } from '../../../server/database/postgres-cluster.ts';
import { socketServer } from '../../../server/database/postgres-process.ts';
import { chooseRunner } from '../../../server/database/postgres-user.ts';
import { lockHome } from '../../../server/process/home-lock.ts';
import { createLog } from '../../../server/telemetry/log.ts';

if (import.meta.main) await main(process.argv.slice(2));

async function main([home = '', fault]: readonly string[]): Promise<void> {
  process.on('disconnect', () => process.exit());
  lockHome(home);
  const server = await openOwnPostgres({ home, log: createLog('warn') });
  if (fault === '--no-fsync') {
    await server.stop();
    await startWithoutFsync(home, server.url);
  }
  process.send?.('ready');
}

async function startWithoutFsync(home: string, url: string): Promise<void> {
  const data = join(home, 'postgres');
  const { binaries } = findOwnBinaries();
  const { through, ...runner } = chooseRunner({ home, data, binaries });
  const withoutFsync = [...through, 'sh', '-c', 'exec "$@" -c fsync=off', 'sh'];
  const cluster = { data, binaries, runner: { ...runner, through: withoutFsync } };
  await socketServer.start(cluster, { url });
}
