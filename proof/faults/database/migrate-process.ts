/** Applies one migration, to be killed meanwhile: `migrate-process.ts <url> <name> <sql>`. */
import { migrate, readMigrations, toMigration } from '../../../server/database/migrate.ts';
import { openPostgres } from '../../../server/database/postgres.ts';

const [url = '', name = '', sql = ''] = process.argv.slice(2);
const db = await openPostgres(url);
await migrate(db, { migrations: [...readMigrations(), toMigration(name, sql)], retryMs: 200 });
await db.close();
