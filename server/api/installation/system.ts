/** The state of the installation: pending work, this process, findings and invariants. */
import { arch, platform } from 'node:os';
import { AuditQuery, AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { DoctorResponse, SummaryResponse, SystemResponse } from '@vidgen/contract/admin-system.ts';
import { version } from '../../config/version.ts';
import type { Queryable } from '../../database/database.ts';
import { listTableSizes } from '../../database/table-sizes.ts';
import { checkInvariants as checkLedgerInvariants } from '../../lifecycle/checks/invariants.ts';
import { countPendingWebhooks, listBacklog } from '../../queue/backlog.ts';
import type { Storage } from '../../storage/storage.ts';
import { countPending } from '../../tasks/task-counts.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { unixSecondsOrNull } from '../http/timestamps.ts';

/** Counts unfinished work. Every open admin page polls it, so it reads small indexes only. */
const getSummary = endpoint({
  operationId: 'getSummary',
  method: 'GET',
  path: '/admin/summary',
  summary: 'Get pending work',
  description: 'Counts for badges; cheap enough to be polled.',
  auth: 'admin',
  responses: {
    200: jsonResponse('Counts of what is not finished.', SummaryResponse, {
      busy: [
        'One refund waits for a person',
        {
          refunds_waiting: 1,
          queued: 4,
          generating: 9,
          calls_waiting: 2,
          no_provider: false,
        },
      ],
    }),
  },
  async handler({ lifecycle: { db, providers } }) {
    const [pending, pendingWebhooks] = await Promise.all([
      countPending(db),
      countPendingWebhooks(db),
    ]);
    const body: SummaryResponse = {
      refunds_waiting: pending.refunds,
      queued: pending.queued,
      generating: pending.generating,
      calls_waiting: pendingWebhooks,
      no_provider: providers.servedModels().every((model) => providers.isPreviewed(model)),
    };
    return { body };
  },
});

/** How many stored files are counted at most. Beyond it the total size is null. */
const filesMax = 20_000;

const system = {
  version: '0.3.0',
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

const getSystem = endpoint({
  operationId: 'getSystem',
  method: 'GET',
  path: '/admin/system',
  summary: 'Get the state of the system',
  description:
    'Describes the process that handles the request. Secrets are left out of the settings.',
  auth: 'admin',
  responses: {
    200: jsonResponse('Version, engine, queue, storage, settings.', SystemResponse, {
      small: ['A small installation', system],
    }),
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
        ...table,
        dead_rows: deadRows,
        oldest_at: unixSecondsOrNull(oldestAt),
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
  let files = 0;
  let bytes = 0;
  for await (const entry of storage.list('')) {
    files += 1;
    bytes += entry.bytes;
    if (files > filesMax) return null;
  }
  return bytes;
}

const findings = [
  { area: 'database', level: 'ok', message: 'Notifications arrive', remedy: null },
  {
    area: 'public URL',
    level: 'warning',
    message: 'VIDGEN_PUBLIC_URL is not set: URLs of results work on this machine only',
    remedy: 'Set it to the URL under which clients and providers reach this service.',
  },
];

const getFindings = endpoint({
  operationId: 'getFindings',
  method: 'GET',
  path: '/admin/doctor',
  summary: 'Check the installation',
  description:
    'As seen by the process that handles the request. Connects to the providers without sending ' +
    'anything, writes and deletes a file, and renders one second of preview.',
  auth: 'admin',
  sessionLimit: { purpose: 'doctor', perMinute: 6 },
  responses: {
    200: jsonResponse('The findings, each with its remedy.', DoctorResponse, {
      local: ['A local installation', { findings }],
    }),
  },
  handler: async ({ findings: examine }) => ({ body: { findings: [...(await examine())] } }),
});

const checkInvariants = endpoint({
  operationId: 'auditBooks',
  method: 'GET',
  path: '/admin/audit',
  summary: 'Check the integrity of all data',
  description: 'Reads every row, in slices. Meant for operators, not for frequent monitoring.',
  auth: 'admin',
  secondsMax: 900,
  query: AuditQuery,
  responses: {
    200: jsonResponse('Whether each invariant holds.', AuditResponse, {
      sound: [
        'All hold',
        {
          ok: true,
          checks: [
            { name: 'reserved = sum over unsettled tasks', ok: true, checked: 12, offenders: [] },
          ],
        },
      ],
    }),
  },
  async handler({ lifecycle }, { query }) {
    return { body: await checkLedgerInvariants(lifecycle.db, query) };
  },
});

export const systemEndpoints = [getSummary, getSystem, getFindings];
export const invariantEndpoints = [checkInvariants];
