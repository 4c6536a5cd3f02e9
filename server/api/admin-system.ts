/** Operators: what waits for a person, and how the installation is doing. Never a secret. */
import { statfs } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import type { SummaryAnswer, SystemAnswer } from '@vidgen/contract/admin-system.ts';
import type { Queryable } from '../database/database.ts';
import { countCalls, listBacklog } from '../queue/backlog.ts';
import type { Storage } from '../storage/storage.ts';
import { countWaiting } from '../tasks/waiting.ts';
import { version } from '../version.ts';
import type { Answer, Asked, Service } from './service.ts';

/** What is walked to add sizes up; with more files the sum is not known. */
const filesMax = 20_000;

/** Asked again and again by every open page of an operator, so it reads small indexes only. */
export async function getSummary({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  const [waiting, calls] = await Promise.all([
    countWaiting(lifecycle.db),
    countCalls(lifecycle.db),
  ]);
  const summary: SummaryAnswer = {
    refunds_waiting: waiting.refunds,
    queued: waiting.queued,
    generating: waiting.generating,
    calls_waiting: calls,
  };
  return { body: summary };
}

export async function getSystem(service: Service, _asked: Asked): Promise<Answer> {
  const { lifecycle, installation, publicUrl } = service;
  const { db, storage } = lifecycle;
  const backlog = await listBacklog(db);
  const system: SystemAnswer = {
    version,
    node: process.version,
    platform: `${platform()} ${arch()}`,
    started_at: installation.startedAt,
    role: installation.role,
    public_url: publicUrl(),
    engine: db.engine,
    database: await databaseFacts(db),
    memory_bytes: process.memoryUsage().rss,
    queue: backlog.map(({ oldestDueSeconds, ...counts }) => ({
      ...counts,
      oldest_due_seconds: oldestDueSeconds === null ? null : Math.max(0, oldestDueSeconds),
    })),
    storage: {
      place: installation.resultsFolder,
      // A result has one job that removes it, from the commit that made it to the day it is gone.
      results: backlog.find(({ kind }) => kind === 'expire')?.scheduled ?? 0,
      bytes: await bytesOf(storage),
      free_bytes: await freeBytes(installation.resultsFolder),
    },
    settings: [...installation.settings],
  };
  return { body: system };
}

async function databaseFacts(db: Queryable): Promise<SystemAnswer['database']> {
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
