/**
 * Marks in a home directory: a restore that is not complete and a database that was moved, which
 * keep the service from starting, and what rendered a clip here.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/config.ts';
import { syncFolder } from './sync-folder.ts';

const restoreMark = 'restoring';
const moveMark = 'moved';
const selfTestMark = 'self-test';

/** Written before a restore changes anything, and removed when everything is in its place. */
export function markRestore(home: string, backupId: string): void {
  writeFileSync(join(home, restoreMark), backupId, { mode: 0o600, flush: true });
  syncFolder(home);
}

/** The ID of the backup that is being restored, or null. */
export function readRestoreMark(home: string): string | null {
  const file = join(home, restoreMark);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

export function removeRestoreMark(home: string): void {
  rmSync(join(home, restoreMark), { force: true });
}

/**
 * Removes the mark if the database says that the restore was complete: it was cut between its
 * commit and its end. Throws `ConfigError` otherwise.
 */
export function requireRestored(home: string, restoredFrom: string | null): void {
  const backupId = readRestoreMark(home);
  if (backupId === null) return;
  if (backupId === restoredFrom) {
    removeRestoreMark(home);
    return;
  }
  throw new ConfigError([
    `a restore of the backup ${backupId} into ${home} is not complete; ` +
      'run the same restore again, or delete the home directory',
  ]);
}

/** `to` is for people, without a password. */
export function markMoved(home: string, to: string): void {
  writeFileSync(join(home, moveMark), to, { mode: 0o600, flush: true });
  syncFolder(home);
}

/** Throws `ConfigError` if the own database of the home directory was moved to another server. */
export function requireNotMoved(home: string): void {
  const file = join(home, moveMark);
  if (!existsSync(file)) return;
  throw new ConfigError([
    `the database of ${home} was moved to ${readFileSync(file, 'utf8').trim()}; ` +
      `set VIDGEN_DATABASE_URL, or delete ${file} to use the data from before the move`,
  ]);
}

/** What has passed the self-test of previews, or null. */
export function readSelfTestMark(home: string): string | null {
  const file = join(home, selfTestMark);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

export function writeSelfTestMark(home: string, tested: string): void {
  writeFileSync(join(home, selfTestMark), tested, { mode: 0o600 });
}
