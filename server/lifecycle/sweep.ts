/**
 * Removes files that no task answers for: stored by a worker that lost its lease or died before it
 * could settle, or half downloaded; and uploads whose time is up. Expiry takes care of results.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseMs } from '../database/database-clock.ts';
import type { StoredEntry } from '../storage/storage.ts';
import { isUploadKey, uploadLifeMs } from '../storage/uploads.ts';
import { findTasks } from '../tasks/rows.ts';
import type { Lifecycle } from './context.ts';

const tasksAtOnce = 500;
/** Younger files may belong to a collection that is still under way. */
const ageMsMin = 3600_000;

/** Answers how many files were removed. */
export async function sweepResults(
  lifecycle: Lifecycle,
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
    if (batch.length < tasksAtOnce) continue;
    removed += await removeUnclaimed(lifecycle, batch);
    batch = [];
  }
  removed += await removeUnclaimed(lifecycle, batch);
  const untouchedSinceMs = nowMs - olderThanMs;
  removed += await lifecycle.storage.removeUnfinished({ untouchedSinceMs });
  return removed + (await removeDownloads(lifecycle, { untouchedSinceMs }));
}

/** Kept for as long as a task may need it that was created while its address was good. */
async function removeUpload(
  { storage, settings }: Lifecycle,
  { entry, ageMs }: { readonly entry: StoredEntry; readonly ageMs: number },
): Promise<number> {
  if (ageMs < uploadLifeMs + settings.taskTimeoutSeconds * 1000) return 0;
  await storage.remove([entry.key]);
  return 1;
}

/** A download lasts minutes: what has not been touched for long was left by a process that died. */
async function removeDownloads(
  { settings, log }: Lifecycle,
  { untouchedSinceMs }: { readonly untouchedSinceMs: number },
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(settings.scratchFolder).catch(() => [])) {
    const path = join(settings.scratchFolder, name);
    const found = await stat(path).catch(() => null); // Finished, and gone, since we looked.
    if (!found || found.mtimeMs > untouchedSinceMs) continue;
    await rm(path, { force: true, recursive: true });
    removed += 1;
  }
  if (removed > 0) log.warn({ files: removed }, 'removed what is left of downloads');
  return removed;
}

async function removeUnclaimed(
  { db, storage, log }: Lifecycle,
  entries: readonly StoredEntry[],
): Promise<number> {
  const tasks = await findTasks(
    db,
    entries.map(({ key }) => key.split('/')[0]!),
  );
  const unclaimed = entries.filter(({ key }, at) => {
    const task = tasks[at];
    if (!task || task.status === 'failed') return true;
    if (!task.result) return false; // In progress: its own collection will overwrite or use it.
    return task.result.video !== key && task.result.lastFrame !== key;
  });
  await storage.remove(unclaimed.map(({ key }) => key));
  if (unclaimed.length > 0) log.warn({ files: unclaimed.length }, 'removed files of no task');
  return unclaimed.length;
}
