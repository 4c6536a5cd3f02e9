/**
 * Removes files that no task answers for: stored by a worker that lost its lease or died before it
 * could settle, or half downloaded; and uploads whose time is up. Expiry takes care of results.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseMs } from '../database/database-clock.ts';
import type { StoredEntry } from '../storage/storage.ts';
import { isUploadKey, uploadTtlMs } from '../storage/uploads.ts';
import { findTasks } from '../tasks/store.ts';
import type { LifecycleContext } from './context.ts';

const batchSize = 500;
/** Younger files may belong to a collection that is still under way. */
const ageMsMin = 3600_000;

/** Answers how many files were removed. */
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

/** Kept for as long as a task may need it that was created while its address was good. */
async function removeUpload(
  { storage, settings }: LifecycleContext,
  { entry, ageMs }: { readonly entry: StoredEntry; readonly ageMs: number },
): Promise<number> {
  if (ageMs < uploadTtlMs + settings.taskTimeoutSeconds * 1000) return 0;
  await storage.remove([entry.key]);
  return 1;
}

/** A download lasts minutes: what has not been touched for long was left by a process that died. */
async function removeDownloads(
  { settings, log }: LifecycleContext,
  { untouchedSinceMs }: { readonly untouchedSinceMs: number },
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(settings.tempFolder).catch(() => [])) {
    const path = join(settings.tempFolder, name);
    const found = await stat(path).catch(() => null); // Finished, and gone, since we looked.
    if (!found || found.mtimeMs > untouchedSinceMs) continue;
    await rm(path, { force: true, recursive: true });
    removed += 1;
  }
  if (removed > 0) log.warn({ files: removed }, 'removed what is left of downloads');
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
    if (!task.result) return false; // In progress: its own collection will overwrite or use it.
    return task.result.video !== key && task.result.lastFrame !== key;
  });
  await storage.remove(orphans.map(({ key }) => key));
  if (orphans.length > 0) log.warn({ files: orphans.length }, 'removed files of no task');
  return orphans.length;
}
