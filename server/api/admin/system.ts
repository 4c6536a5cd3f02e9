/** Operators: what waits for a person, and how the installation is doing. Never a secret. */
import { statfs } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import type { SummaryResponse, SystemResponse } from '@vidgen/contract/admin-system.ts';
import type { Queryable } from '../../database/database.ts';
import { countPendingWebhooks, listBacklog } from '../../queue/backlog.ts';
import type { Storage } from '../../storage/storage.ts';
import { countPending } from '../../tasks/pending-counts.ts';
import { version } from '../../version.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

/** What is walked to add sizes up; with more files the sum is not known. */
const filesMax = 20_000;

/** Asked again and again by every open page of an operator, so it reads small indexes only. */
export async function getSummary(
  { lifecycle }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  const [pending, pendingWebhooks] = await Promise.all([
    countPending(lifecycle.db),
    countPendingWebhooks(lifecycle.db),
  ]);
  const summary: SummaryResponse = {
    refunds_waiting: pending.refunds,
    queued: pending.queued,
    generating: pending.generating,
    calls_waiting: pendingWebhooks,
  };
  return { body: summary };
}

export async function getSystem(services: ApiServices, _request: ApiRequest): Promise<ApiResponse> {
  const { lifecycle, processInfo, publicUrl } = services;
  const { db, storage } = lifecycle;
  const backlog = await listBacklog(db);
  const system: SystemResponse = {
    version,
    node: process.version,
    platform: `${platform()} ${arch()}`,
    started_at: processInfo.startedAt,
    role: processInfo.role,
    public_url: publicUrl(),
    engine: db.engine,
    database: await databaseInfo(db),
    memory_bytes: process.memoryUsage().rss,
    queue: backlog.map(({ oldestDueSeconds, ...counts }) => ({
      ...counts,
      oldest_due_seconds: oldestDueSeconds === null ? null : Math.max(0, oldestDueSeconds),
    })),
    storage: {
      place: processInfo.resultsFolder,
      // A result has one job that removes it, from the commit that made it to the day it is gone.
      results: backlog.find(({ kind }) => kind === 'expire')?.scheduled ?? 0,
      bytes: await bytesOf(storage),
      free_bytes: await freeBytes(processInfo.resultsFolder),
    },
    settings: [...processInfo.settings],
  };
  return { body: system };
}

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

async function freeBytes(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found && found.bavail * found.bsize;
}
