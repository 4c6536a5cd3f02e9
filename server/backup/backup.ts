/** `npm run backup`: backs up the installation that the settings describe. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../config.ts';
import { tryLock } from '../home-lock.ts';
import { openBackupStore, print, readOptions, requireOption, runCommand } from './command.ts';
import { createBackup } from './create-backup.ts';

const usage = 'npm run backup -- --to <folder or s3://bucket/prefix?region=…>';

await runCommand(async () => {
  const { to } = readOptions(usage, ['to']);
  const config = readConfig(process.env);
  const store = openBackupStore(requireOption(to, usage), config);
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  using lock = tryLock(join(config.home, 'backup.lock'), { isShared: false });
  if (!lock) throw new ConfigError([`another backup or restore of ${config.home} is running`]);
  await createBackup({ config, store, print });
});
