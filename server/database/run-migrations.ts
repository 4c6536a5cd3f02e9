/**
 * `node server/database/run-migrations.ts`: applies the migrations and ends, for an init container
 * or before a rolling restart. Every start applies them too; several at once wait for each other.
 */
import { ConfigError } from '../config/config.ts';
import { registerOwnSecrets } from '../config/config-file.ts';
import { readSettings } from '../config/settings.ts';
import { loadEnvFile } from '../config/start-environment.ts';
import { createLog, redact } from '../telemetry/log.ts';
import { migrate, missingMigrations } from './migrate.ts';
import { openPostgres } from './postgres.ts';

loadEnvFile();
registerOwnSecrets(process.env);
try {
  const { config } = await readSettings(process.env);
  if (config.databaseUrl === null) {
    throw new ConfigError(['VIDGEN_DATABASE_URL is required; the own database migrates at start']);
  }
  const log = createLog(config.logLevel);
  const db = await openPostgres(config.databaseUrl, { connectionsMax: 2 });
  await migrate(db, {
    onWait: (migration) => log.warn({ migration }, 'migration waited for a lock, retrying'),
  });
  const missing = await missingMigrations(db);
  await db.close();
  log.info({ missing }, 'migrations applied');
} catch (error) {
  const { message } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${redact(message)}\n`);
  process.exit(1);
}
