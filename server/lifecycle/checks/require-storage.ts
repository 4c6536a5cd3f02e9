/**
 * Keeps processes with different storages from running on one database: each would answer 404 for
 * the results that the other has stored, and would never delete them.
 */
import { readOrSetStorage, replaceStorage } from '../../accounts/installation-settings.ts';
import { ConfigError } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { isOtherStorageLive } from '../../processes/processes.ts';
import { storageMarkName } from '../../storage/storage.ts';
import { hasStoredResults } from '../../tasks/store.ts';

type StorageIdentity = {
  /** The mark of the storage; see `storage/storage.ts`. */
  readonly storageId: string;
  /** Where it is, and the setting that says so. */
  readonly place: string;
  readonly setting: string;
};

/**
 * Call after the process has announced itself, so that of two that start at once one sees the
 * other. Throws `ConfigError` if results could be lost; a storage that nobody uses and that holds
 * no results is replaced by this one.
 */
export async function requireStorage(
  db: Database,
  { storageId, place, setting }: StorageIdentity,
): Promise<void> {
  const known = await readOrSetStorage(db, storageId);
  if (known === storageId) return;
  const isInUse = (await isOtherStorageLive(db, storageId)) || (await hasStoredResults(db));
  if (!isInUse && (await replaceStorage(db, { from: known, to: storageId }))) return;
  throw new ConfigError([
    `${setting}: this process would store results in ${place}, and other processes of this ` +
      `database have stored them elsewhere, where it cannot read them; set ${setting} to the ` +
      `${setting === 'VIDGEN_HOME' ? 'same (shared) folder' : 'same bucket and prefix'} for all ` +
      'processes, or, if those results may be lost, stop the other processes and write ' +
      `${known} to ${place.replace(/\/$/, '')}/${storageMarkName}`,
  ]);
}
