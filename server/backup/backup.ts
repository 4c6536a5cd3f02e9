/** `npm run backup`: backs up the installation that the settings describe, or verifies a backup. */
import { join } from 'node:path';
import { ConfigError, readConfig } from '../config/config.ts';
import { migrationsOf } from '../database/load.ts';
import { requireHome, tryLock } from '../process/home-lock.ts';
import type { BackupStore } from './backup-store.ts';
import { openBackupStore, print, readOptions, requireOption, runCommand } from './command.ts';
import { createBackup } from './create-backup.ts';
import { findDamage, requireRestorable } from './find-damage.ts';
import { findManifest } from './manifest.ts';

const usage =
  'npm run backup -- --to <folder or s3://bucket/prefix?region=…> [--verify [--backup <ID>]]';

await runCommand(async () => {
  const { to, verify, backup } = readOptions(usage, ['to', 'backup'], ['verify']);
  const config = readConfig(process.env);
  const store = openBackupStore(requireOption(to, usage), config);
  if (verify) return await verifyBackup(store, backup ?? null);
  if (backup) throw new ConfigError([`--backup is for --verify\nUsage: ${usage}`]);
  requireHome(config.home);
  using lock = tryLock(join(config.home, 'backup.lock'), { isShared: false });
  if (!lock) throw new ConfigError([`another backup or restore of ${config.home} is running`]);
  await createBackup({ config, store, print });
});

async function verifyBackup(store: BackupStore, id: string | null): Promise<void> {
  const manifest = await findManifest(store, id);
  migrationsOf(manifest.migrations);
  print(`Verifying ${manifest.id} of ${store.label} …`);
  requireRestorable(manifest, await findDamage(store, manifest), {});
  print(`Complete: ${manifest.tables.length} tables and ${manifest.files.count} files.`);
}
