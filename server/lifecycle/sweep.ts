/**
 * Deletes orphaned files: results of workers that lost their lease or crashed before settling,
 * partial downloads, and expired uploads. Results of tasks are deleted by their `expire` job.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseMs } from '../database/database-clock.ts';
import type { StoredEntry } from '../storage/storage.ts';
import { isUploadKey } from '../storage/upload-urls.ts';
import { uploadTtlMs } from '../storage/uploads.ts';
import { findTasks } from '../tasks/store.ts';
import type { LifecycleContext } from './context.ts';

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
  for await (const entry of lifecycle.storage.list('')) {
    const ageMs = nowMs - entry.modifiedAt.getTime();
    if (isUploadKey(entry.key)) {
      removed += await removeUpload(lifecycle, { entry, ageMs });
      continue;
    }
    if (ageMs < olderThanMs) continue;
    batch.push(entry);
    if (batch.length < batchSize) continue;
    removed += await removeOrphans(lifecycle, batch);
    batch = [];
  }
  removed += await removeOrphans(lifecycle, batch);
  const untouchedSinceMs = nowMs - olderThanMs;
  removed += await lifecycle.storage.deletePartialFiles({ untouchedSinceMs });
  return removed + (await removeDownloads(lifecycle, { untouchedSinceMs }));
}

/** Keeps an upload as long as a task needs it that was created just before its URL expired. */
async function removeUpload(
  { storage, settings }: LifecycleContext,
  { entry, ageMs }: { readonly entry: StoredEntry; readonly ageMs: number },
): Promise<number> {
  if (ageMs < uploadTtlMs + settings.taskTimeoutSeconds * 1000) return 0;
  await storage.remove([entry.key]);
  return 1;
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
  const tasks = await findTasks(
    db,
    entries.map(({ key }) => key.split('/')[0]!),
  );
  const orphans = entries.filter(({ key }, at) => {
    const task = tasks[at];
    if (!task || task.status === 'failed') return true;
    if (!task.result) return false; // In progress: its collection will use the file.
    return task.result.video !== key && task.result.lastFrame !== key;
  });
  await storage.remove(orphans.map(({ key }) => key));
  if (orphans.length > 0) log.warn({ files: orphans.length }, 'deleted orphaned result files');
  return orphans.length;
}
