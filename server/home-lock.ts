/**
 * One process a home folder. The embedded database has no lock of its own: two processes on one
 * folder silently lose each other's commits. The lock is the operating system's (SQLite takes it on
 * an empty file), so it goes with the process, however that ends: there is nothing stale to judge.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nowMs } from './clock.ts';

const sqliteBusy = 5;

/** Another process has the home; the message says which, and what to do. */
export class HomeLockedError extends Error {
  override readonly name = 'HomeLockedError';
}

/** A lock nobody refers to would be collected as garbage, and released with that. */
const locks = new Set<DatabaseSync>();

type LockOwner = { readonly pid: number; readonly host: string; readonly since: string };

/** Makes the folder where there is none, closed to other users, and holds it until disposed. */
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
        'Stop it first, or give this one its own VIDGEN_HOME.',
    );
  }
  locks.add(lock);
  // Only for the sentence above: who holds the home is decided by the lock alone.
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
    // Taken this very moment: the holder has not signed yet.
    return 'another vidgen';
  }
}
