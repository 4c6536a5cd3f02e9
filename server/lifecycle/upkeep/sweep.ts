/**
 * Deletes files: those of an expired result by its job, and orphaned ones by a sweep. These are
 * results of workers that lost their lease or crashed before settling, copies of sources of
 * finished tasks, partial downloads, and expired uploads.
 */

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseMs } from '../../database/database-clock.ts';
import { crashPoint } from '../../process/crash-point.ts';
import type { Job } from '../../queue/job.ts';
import { finish } from '../../queue/outcome.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import { isCopyKey, isUploadKey } from '../../storage/upload-urls.ts';
import { uploadTtlMs } from '../../storage/uploads.ts';
import { findTasks, markResultDeleted } from '../../tasks/store.ts';
import { resultKeys } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';
import { findUsedCopies } from '../submit/copy-sources.ts';

const batchSize = 500;
/** Younger files may belong to a collection that is under way. */
const ageMsMin = 3600_000;

/** Returns the number of deleted files. */
export async function sweepResults(
  lifecycle: LifecycleContext,
  { olderThanMs = ageMsMin }: { readonly olderThanMs?: number } = {},
): Promise<number> {
  const nowMs = await databaseMs(lifecycle.db);
  let removed = 0;
  let batch: StoredEntry[] = [];
  const copies: string[] = [];
  for await (const entry of lifecycle.storage.list('')) {
    const ageMs = nowMs - entry.modifiedAt.getTime();
    if (isUploadKey(entry.key)) {
      const isRemoved = await removeUpload(lifecycle, { entry, ageMs });
      if (isRemoved) removed += 1;
      else if (isCopyKey(entry.key) && ageMs >= olderThanMs) copies.push(entry.key);
      continue;
    }
    if (ageMs < olderThanMs) continue;
    batch.push(entry);
    if (batch.length < batchSize) continue;
    removed += await removeOrphans(lifecycle, batch);
    batch = [];
  }
  removed += await removeOrphans(lifecycle, batch);
  removed += await removeUnusedCopies(lifecycle, copies);
  const untouchedSinceMs = nowMs - olderThanMs;
  removed += await lifecycle.storage.deletePartialFiles({ untouchedSinceMs });
  return removed + (await removeDownloads(lifecycle, { untouchedSinceMs }));
}

/** Keeps an upload as long as a task needs it that was created just before its URL expired. */
async function removeUpload(
  { storage, settings }: LifecycleContext,
  { entry, ageMs }: { readonly entry: StoredEntry; readonly ageMs: number },
): Promise<boolean> {
  if (ageMs < uploadTtlMs + settings.taskTimeoutSeconds * 1000) return false;
  await storage.remove([entry.key]);
  return true;
}

/** Left by a process that crashed, or that was copying when the task ended. */
async function removeUnusedCopies(
  { db, storage, sources, log }: LifecycleContext,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const used = await findUsedCopies(db, sources);
  const unused = keys.filter((key) => !used.has(key));
  await storage.remove(unused);
  if (unused.length > 0) log.warn({ files: unused.length }, 'deleted unused source copies');
  return unused.length;
}

/** A download takes minutes at most: older files were left by a process that crashed. */
async function removeDownloads(
  { settings, log }: LifecycleContext,
  { untouchedSinceMs }: { readonly untouchedSinceMs: number },
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(settings.tempFolder).catch(() => [])) {
    const path = join(settings.tempFolder, name);
    const found = await stat(path).catch(() => null); // Finished since the folder was read.
    if (!found || found.mtimeMs > untouchedSinceMs) continue;
    await rm(path, { force: true, recursive: true });
    removed += 1;
  }
  if (removed > 0) log.warn({ files: removed }, 'deleted stale downloads');
  return removed;
}

async function removeOrphans(
  { db, storage, log }: LifecycleContext,
  entries: readonly StoredEntry[],
): Promise<number> {
  const taskIds = entries.map(({ key }) => key.split('/')[0]!);
  const tasks = await findTasks(db, taskIds);
  const orphans = entries.filter(({ key }, at) => {
    const task = tasks[at];
    if (!task || task.status === 'failed') return true;
    if (!task.result) return false; // In progress: its collection will use the file.
    return !resultKeys(task.result).includes(key);
  });
  await storage.remove(orphans.map(({ key }) => key));
  if (orphans.length > 0) log.warn({ files: orphans.length }, 'deleted orphaned result files');
  return orphans.length;
}

/** Responses leave the result out from its expiry on, whether or not its files are deleted yet. */
export async function expire({ db, storage }: LifecycleContext, job: Job): Promise<void> {
  const keys = await Array.fromAsync(storage.list(`${job.taskId}/`), ({ key }) => key);
  await storage.remove(keys);
  crashPoint('expire.removed');
  await db.transaction(async (tx) => {
    await markResultDeleted(tx, job.taskId);
    await finish(tx, job);
  });
  crashPoint('expire.after-commit');
}
