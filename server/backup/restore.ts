/** `npm run restore`: fills an empty installation with a backup. */
import { basename, dirname, join } from 'node:path';
import { ConfigError, readConfig } from '../config/config.ts';
import { requireHome, tryLock } from '../process/home-lock.ts';
import { isBackupId } from './backup-store.ts';
import { openBackupStore, print, readOptions, requireOption, runCommand } from './command.ts';
import { restoreBackup } from './restore-backup.ts';

const usage =
  'npm run restore -- --from <folder or s3://bucket/prefix?region=…> [--backup <ID>] ' +
  '[--without-damaged-files]';

await runCommand(async () => {
  const options = readOptions(usage, ['from', 'backup'], ['without-damaged-files']);
  const config = readConfig(process.env);
  const { from, backup } = splitBackup(requireOption(options.from, usage), options.backup ?? null);
  const store = openBackupStore(from, config);
  requireHome(config.home);
  using lock = tryLock(join(config.home, 'backup.lock'), { isShared: false });
  if (!lock) throw new ConfigError([`another backup or restore of ${config.home} is running`]);
  const withoutDamagedFiles = options['without-damaged-files'] ?? false;
  const isSound = await restoreBackup({ config, store, id: backup, withoutDamagedFiles, print });
  if (!isSound) throw new ConfigError(['Restored as it was backed up; its invariants do not hold']);
});

/** A folder of one backup may be named instead of the folder of all. */
function splitBackup(from: string, backup: string | null) {
  const path = from.replace(/[/\\]{1,9}$/, '');
  if (backup !== null || !isBackupId(basename(path))) return { from, backup };
  return { from: dirname(path), backup: basename(path) };
}
