/**
 * An upgrade during a backup, under load: a migration needs a lock that a long transaction holds.
 * Requests keep being answered, also while the migration waits, and after its process was killed.
 * Thorough: a sample of a long fault test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations, toMigration } from '../../../server/database/migrate.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { faultTest, noFindings, resultOf, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { HeldLock } from './held-lock.ts';

const program = fileURLToPath(new URL('./migrate-process.ts', import.meta.url));

faultTest('a migration under load, while a backup holds the lock it needs', {
  sample: 2,
  async run(options) {
    await using installation = await Installation.open();
    const { clients, databaseUrl } = installation;
    const service = installation.start();
    await service.waitUntilServing();
    await installation.account();
    const db = await openPostgres(databaseUrl, { connectionsMax: 2 });
    clients.start();
    const { runs, violations } = await runRepeatedly(options, async (nth) => {
      const migration = toMigration(
        `9${String(nth).padStart(3, '0')}_column`,
        `alter table tasks add column faults_${nth} integer`,
      );
      const backup = await HeldLock.open(databaseUrl, 'tasks');
      if (nth % 2 === 1) await killWhileWaiting(databaseUrl, backup, migration);
      const { promise: hasWaited, resolve } = Promise.withResolvers<void>();
      const migrations = [...readMigrations(), migration];
      const migrating = migrate(db, { migrations, retryMs: 200, onWait: () => resolve() });
      await hasWaited;
      // Answered while the backup goes on and the migration tries again.
      await clients.create();
      await backup[Symbol.asyncDispose]();
      await migrating;
      return { ...noFindings, broken: await missingColumn(db, `faults_${nth}`) };
    });
    await clients.stop();
    await db.close();
    const findings = await inspectEnd(installation, { staying: [service] });
    return resultOf([findings], {
      runs,
      violations: [...violations, ...clients.internalErrors.map((message) => `create: ${message}`)],
    });
  },
});

/** Kills a process whose migration waits; returns when the server has cancelled its statement. */
async function killWhileWaiting(
  url: string,
  backup: HeldLock,
  { name, sql }: ReturnType<typeof toMigration>,
): Promise<void> {
  const child = spawn(process.execPath, [program, url, name, sql], { stdio: 'inherit' });
  await backup.waitUntilBlocking();
  child.kill('SIGKILL');
  await once(child, 'exit');
  await backup.waitUntilBlockingNone();
}

async function missingColumn(
  db: Awaited<ReturnType<typeof openPostgres>>,
  column: string,
): Promise<string[]> {
  const { rowCount } = await db.query(
    `select from information_schema.columns where table_name = 'tasks' and column_name = $1`,
    [column],
  );
  return rowCount === 1 ? [] : [`${column} was not added`];
}
