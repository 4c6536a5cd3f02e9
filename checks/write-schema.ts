/** `npm run schema`: writes `server/database/schema.sql` from what the migrations create. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScratchDatabase } from '../proof/kit/scratch-database.ts';
import { describeSchema } from './schema.ts';
import { root } from './tree.ts';

const { db, close } = await openScratchDatabase();
writeFileSync(join(root, 'server/database/schema.sql'), await describeSchema(db));
await close();
process.stdout.write('server/database/schema.sql is written\n');
process.exit();
