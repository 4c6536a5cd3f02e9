/** `npm run schema`: writes `server/database/schema.sql` from what the migrations create. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbedded } from '../server/database/embedded.ts';
import { migrate } from '../server/database/migrate.ts';
import { describeSchema } from './schema.ts';
import { root } from './tree.ts';

const db = await openEmbedded();
await migrate(db);
writeFileSync(join(root, 'server/database/schema.sql'), await describeSchema(db));
await db.close();
process.stdout.write('server/database/schema.sql is written\n');
process.exit();
