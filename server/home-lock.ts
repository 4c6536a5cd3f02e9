/**
 * One process per home directory. The embedded database has no lock of its own: two processes on
 * one directory would silently lose each other's commits. SQLite takes an operating system lock on
 * an empty file, which is released however the process ends, so it can never be stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nowMs } from './clock.ts';

const sqliteBusy = 5;

/** Another process uses the home directory; the message says which one and what to do. */
export class HomeLockedError extends Error {
  override readonly name = 'HomeLockedError';
}

/** Keeps the locks referenced: a garbage-collected lock would be released. */
const locks = new Set<DatabaseSync>();

type LockOwner = { readonly pid: number; readonly host: string; readonly since: string };

/**
 * Creates the directory if needed, closed to other users, and locks it until disposed. Throws
 * `HomeLockedError`.
 */
export function lockHome(home: string): Disposable {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(home, 'lock'));
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    throw new HomeLockedError(
      `${home} is in use by ${describeOwner(home)}. ` +
        'Stop that process, or set a different VIDGEN_HOME.',
    );
  }
  locks.add(lock);
  // Only for the message above; the lock alone decides who owns the home directory.
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    since: new Date(nowMs()).toISOString(),
  };
  writeFileSync(join(home, 'holder.json'), JSON.stringify(owner));
  return {
    [Symbol.dispose]() {
      lock.close();
      locks.delete(lock);
    },
  };
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
