/**
 * `npm run move -- --to postgres://…`: copies the own database of the home directory to another
 * server, while the service is stopped. The source is only read, and the target is filled in one
 * transaction: cut anywhere, the service starts as before.
 */
import { ConfigError, readConfig } from '../config/config.ts';
import { loadDatabase, type StoredDatabase } from '../database/load.ts';
import { openOwnPostgres } from '../database/own-postgres.ts';
import { openSnapshot } from '../database/snapshot.ts';
import { checkInvariants, type InvariantCheck } from '../lifecycle/checks/invariants.ts';
import { lockHome } from '../process/home-lock.ts';
import { markMoved, requireNotMoved } from '../process/home-marks.ts';
import { createLog, registerSecret } from '../telemetry/log.ts';
import { print, readOptions, requireOption, runCommand } from './command.ts';
import { requireOwnDatabase } from './installation.ts';
import { reportChecks } from './restore-backup.ts';

const usage = 'npm run move -- --to postgres://user:password@host:5432/database';

await runCommand(async () => {
  const given = requireOption(readOptions(usage, ['to']).to, usage);
  const { databaseUrl: to } = readConfig({
    VIDGEN_DATABASE_URL: given,
    PGPASSWORD: process.env.PGPASSWORD,
  });
  const { home, databaseUrl } = readConfig(process.env);
  if (databaseUrl !== null) {
    throw new ConfigError([
      'VIDGEN_DATABASE_URL is set, and move reads the own database; unset it',
    ]);
  }
  registerSecret(new URL(to!).password);
  requireOwnDatabase(home);
  using _lock = lockHome(home);
  requireNotMoved(home);
  const { host, pathname } = new URL(to!);
  print(`Moving the database of ${home} to ${host}${pathname} …`);
  const checks = await moveDatabase(home, to!);
  markMoved(home, `${host}${pathname}`);
  const isSound = reportChecks(checks, print);
  print(
    `Now set VIDGEN_DATABASE_URL to this database, and keep VIDGEN_HOME=${home} for the files.`,
  );
  if (!isSound) throw new ConfigError(['Moved as it was; its invariants do not hold']);
});

async function moveDatabase(home: string, to: string): Promise<readonly InvariantCheck[]> {
  const server = await openOwnPostgres({ home, log: createLog('error') });
  try {
    const snapshot = await openSnapshot(server.url);
    let checks: readonly InvariantCheck[] = [];
    const source: StoredDatabase = {
      ...snapshot,
      read: async (table) => snapshot.read(table),
    };
    await loadDatabase(to, source, {
      onTable: (table, rows) => print(`  ${table}  ${rows.toLocaleString('en')}`),
      async finish(db) {
        ({ checks } = await checkInvariants(db));
      },
    }).finally(() => snapshot.close());
    return checks;
  } finally {
    await server.stop();
  }
}
