/**
 * Who may use a home directory that has its own database: one process with all roles, or several
 * with one role each, of which one runs the database server. SQLite takes operating system locks on
 * empty files, which are released however a process ends, so they can never be stale.
 */
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config/config.ts';
import { nowMs } from './clock.ts';

const sqliteBusy = 5;
/** Another process that tries for an exclusive lock refuses shared ones for a millisecond. */
const sharedLockMsMax = 500;

/** Another process uses the home directory; the message says which one and what to do. */
export class HomeLockedError extends Error {
  override readonly name = 'HomeLockedError';
}

/** Keeps the locks referenced: a garbage-collected lock would be released. */
const locks = new Set<DatabaseSync>();

type LockOwner = { readonly pid: number; readonly host: string; readonly since: string };

/** Creates the directory if needed, closed to other users. Throws `ConfigError`. */
export function requireHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice = 'change its owner, or set VIDGEN_HOME to another folder';
    throw new ConfigError([`VIDGEN_HOME ${home} cannot be written (${code}); ${advice}`]);
  }
}

/**
 * Creates the directory if needed, closed to other users, and locks it until disposed: for this
 * process alone, or shared with others that share it. Throws `HomeLockedError`.
 */
export function lockHome(home: string, { isShared = false } = {}): Disposable {
  requireHome(home);
  const lock = tryLock(join(home, 'lock'), { isShared });
  if (lock) {
    if (!isShared) writeOwner(home);
    return lock;
  }
  throw new HomeLockedError(
    `${home} is in use by ${describeOwner(home)}. ` +
      'Stop that process, or set a different VIDGEN_HOME.',
  );
}

/** Whether other users can list or change it; passing through is what its own database may need. */
export const isOpenToOthers = (home: string): boolean =>
  process.platform !== 'win32' && (statSync(home).mode & 0o066) !== 0;

/** Locks the right to run the database server; returns null while another process has it. */
export function tryLockServer(home: string): Disposable | null {
  const lock = tryLock(join(home, 'server.lock'), { isShared: false });
  if (lock) writeOwner(home);
  return lock;
}

/** Locks a file until disposed, or returns null while another process has it. */
export function tryLock(file: string, { isShared }: { isShared: boolean }): Disposable | null {
  const lock = new DatabaseSync(file, { timeout: isShared ? sharedLockMsMax : 0 });
  try {
    // A transaction that has read holds a shared lock.
    const begin = isShared ? 'begin; select * from sqlite_schema' : 'begin exclusive';
    lock.exec(`pragma journal_mode = memory; ${begin}`);
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    return null;
  }
  locks.add(lock);
  return {
    [Symbol.dispose]() {
      lock.close();
      locks.delete(lock);
    },
  };
}

/** Only for the message; the locks alone decide. Of several processes, the one with the server. */
function writeOwner(home: string): void {
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    since: new Date(nowMs()).toISOString(),
  };
  const file = join(home, 'holder.json');
  try {
    // Renamed, so that no reader sees half of it.
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(owner));
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // On a full disk the message names an earlier owner.
  }
}

function describeOwner(home: string): string {
  try {
    const owner = JSON.parse(readFileSync(join(home, 'holder.json'), 'utf8')) as LockOwner;
    return `process ${owner.pid} on ${owner.host} (since ${owner.since})`;
  } catch {
    // The owner took the lock just now and has not written its file yet.
    return 'another vidgen';
  }
}
