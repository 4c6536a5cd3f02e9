/**
 * Keeps processes with different storages from running on one database: each would answer 404 for
 * the results that the other has stored, and would never delete them.
 */
import { join } from 'node:path';
import { readOrSetStorage, replaceStorage } from '../accounts/installation-storage.ts';
import { ConfigError } from '../config.ts';
import type { Database } from '../database/database.ts';
import { isOtherStorageLive } from '../processes/processes.ts';
import { storageMarkName } from '../storage/storage-mark.ts';
import { hasStoredResults } from '../tasks/store.ts';

/**
 * Call after the process has announced itself, so that of two that start at once one sees the
 * other. Throws `ConfigError` if results could be lost; a storage that nobody uses and that holds
 * no results is replaced by this one.
 */
export async function requireStorage(
  db: Database,
  { storageId, folder }: { readonly storageId: string; readonly folder: string },
): Promise<void> {
  const known = await readOrSetStorage(db, storageId);
  if (known === storageId) return;
  const isInUse = (await isOtherStorageLive(db, storageId)) || (await hasStoredResults(db));
  if (!isInUse && (await replaceStorage(db, { from: known, to: storageId }))) return;
  throw new ConfigError([
    `VIDGEN_HOME: this process would store results in ${folder}, and other processes of this ` +
      'database have stored them elsewhere, where it cannot read them; set VIDGEN_HOME to the ' +
      'same (shared) folder for all processes, or, if those results may be lost, stop the other ' +
      `processes and write ${known} to ${join(folder, storageMarkName)}`,
  ]);
}
