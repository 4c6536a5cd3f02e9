/** Returns the state of the installation as this process sees it: never a secret. */
import { arch, platform } from 'node:os';
import { SystemResponse } from '@vidgen/contract/admin-system.ts';
import { version } from '../../config/version.ts';
import type { Queryable } from '../../database/database.ts';
import { listTableSizes } from '../../database/table-sizes.ts';
import { listBacklog } from '../../queue/backlog.ts';
import type { Storage } from '../../storage/storage.ts';
import { endpoint } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { unixSecondsOrNull } from '../http/timestamps.ts';

/** How many stored files are counted at most. Beyond it the total size is null. */
const filesMax = 20_000;

const system = {
  version: '0.2.0',
  node: 'v24.21.0',
  platform: 'linux x64',
  started_at: createdAt,
  role: 'all',
  public_url: 'https://videos.example.com',
  engine: 'embedded',
  database: { version: '18.1', bytes: 31_457_280 },
  tables: [
    { name: 'tasks', bytes: 9_437_184, rows: 8100, dead_rows: 120, oldest_at: createdAt },
    { name: 'jobs', bytes: 327_680, rows: 130, dead_rows: 900, oldest_at: null },
  ],
  memory_bytes: 402_653_184,
  queue: [{ kind: 'poll', due: 1, scheduled: 8, running: 2, oldest_due_seconds: 0.4 }],
  storage: {
    place: '/srv/vidgen/results',
    results: 120,
    bytes: 734_003_200,
    free_bytes: 85_899_345_920,
  },
  settings: [{ name: 'VIDGEN_RESULT_TTL', value: '86400 s' }],
};

export const getSystem = endpoint({
  operationId: 'getSystem',
  method: 'GET',
  path: '/admin/system',
  summary: 'Get the state of the system',
  description:
    'Describes the process that handles the request. Secrets are left out of the settings.',
  auth: 'admin',
  responses: {
    200: {
      description: 'Version, engine, queue, storage, settings.',
      schema: SystemResponse,
      examples: { small: ['A small installation', system] },
    },
  },
  async handler({ lifecycle: { db, storage }, openedStorage, processInfo, publicUrl }) {
    const backlog = await listBacklog(db);
    const body: SystemResponse = {
      version,
      node: process.version,
      platform: `${platform()} ${arch()}`,
      started_at: processInfo.startedAt,
      role: processInfo.role,
      public_url: publicUrl(),
      engine: processInfo.engine,
      database: await databaseInfo(db),
      tables: (await listTableSizes(db)).map(({ deadRows, oldestAt, ...table }) => ({
        ...{ ...table, dead_rows: deadRows, oldest_at: unixSecondsOrNull(oldestAt) },
      })),
      memory_bytes: process.memoryUsage().rss,
      queue: backlog.map(({ oldestDueSeconds, ...counts }) => ({
        ...counts,
        oldest_due_seconds: oldestDueSeconds === null ? null : Math.max(0, oldestDueSeconds),
      })),
      storage: {
        place: openedStorage.place,
        // Each stored result has one `expire` job that deletes it.
        results: backlog.find(({ kind }) => kind === 'expire')?.scheduled ?? 0,
        bytes: await bytesOf(storage),
        free_bytes: await openedStorage.freeBytes(),
      },
      settings: [...processInfo.settings],
    };
    return { body };
  },
});

async function databaseInfo(db: Queryable): Promise<SystemResponse['database']> {
  const { rows } = await db.query<{ version: string; bytes: number }>(
    `select current_setting('server_version') as version,
            pg_database_size(current_database()) as bytes`,
  );
  return rows[0]!;
}

async function bytesOf(storage: Storage): Promise<number | null> {
  let [files, bytes] = [0, 0];
  for await (const entry of storage.list('')) {
    files += 1;
    bytes += entry.bytes;
    if (files > filesMax) return null;
  }
  return bytes;
}
