/**
 * Serializes concurrent setups of one checkout. The lock of a killed setup does not block others.
 *
 * Locks are numbered files. The process that creates the next number holds the lock: creating a
 * file that must not exist succeeds for one process only. A lock is never taken over by deleting
 * its file, so that two processes cannot hold it at the same time.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root, SetupError } from './command.mjs';

const pollMs = 200;
const heartbeatMs = 2000;
/** Checks without a heartbeat (30 s) after which a holder, maybe on another host, is gone. */
const staleChecksMax = 150;
const released = 'over';

/**
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @param {string} [folder]
 * @returns {Promise<T>}
 */
export async function withSetupLock(signal, work, folder = join(root, '.setup-lock')) {
  const lockFile = await acquireLock(folder, signal);
  const heartbeat = setInterval(() => unlessDeleted(() => touch(lockFile)), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    unlessDeleted(() => writeFileSync(lockFile, released));
  }
}

/** @param {string} file */
function touch(file) {
  utimesSync(file, new Date(), new Date());
}

/**
 * Deleting the lock folder by hand must not break a running setup.
 * @param {() => void} work
 */
function unlessDeleted(work) {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * @param {string} folder
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the lock file
 */
async function acquireLock(folder, signal) {
  unlessForbidden(() => mkdirSync(folder, { recursive: true }));
  let lastSeen = { state: '', checks: 0 };
  for (let hasReported = false; ; ) {
    const latest = latestNumber(folder);
    const { holder, state } = readHolder(folder, latest);
    lastSeen =
      state === lastSeen.state ? { state, checks: lastSeen.checks + 1 } : { state, checks: 0 };
    if (latest === 0 || isGone(holder) || lastSeen.checks > staleChecksMax) {
      if (unlessForbidden(() => create(folder, latest + 1)))
        return join(folder, String(latest + 1));
      continue;
    }
    if (!hasReported) process.stderr.write(`Waiting for another setup (${holder})\n`);
    hasReported = true;
    await wait(pollMs, undefined, { signal });
  }
}

/**
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
function unlessForbidden(work) {
  try {
    return work();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
    throw new SetupError(
      `The setup is not complete, and this user cannot write to ${root}. ` +
        'Start once as the user who owns the folder.',
    );
  }
}

/** @param {string} folder */
function lockNumbers(folder) {
  return readdirSync(folder).map(Number).filter(Number.isInteger);
}

/** @param {string} folder */
function latestNumber(folder) {
  return Math.max(0, ...lockNumbers(folder));
}

/**
 * @param {string} folder
 * @param {number} number
 */
function readHolder(folder, number) {
  const file = join(folder, String(number));
  try {
    const holder = readFileSync(file, 'utf8');
    return { holder, state: `${number} ${holder} ${statSync(file).mtimeMs}` };
  } catch {
    // A newer lock has replaced it; the next check reads that one.
    return { holder: '', state: '' };
  }
}

/**
 * The file is empty between its creation and the write of the holder's name.
 * @param {string} holder
 */
function isGone(holder) {
  if (holder === released) return true;
  const [, pid, host] = /^process (\d+) on (.*)$/.exec(holder) ?? [];
  return host === hostname() && !isAlive(Number(pid));
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * @param {string} folder
 * @param {number} number
 */
function create(folder, number) {
  const file = join(folder, String(number));
  try {
    writeFileSync(file, `process ${process.pid} on ${hostname()}`, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  // The number may be outdated: newer locks may have come, and older files been deleted.
  if (latestNumber(folder) !== number) {
    rmSync(file, { force: true });
    return false;
  }
  for (const older of lockNumbers(folder).filter((one) => one < number)) {
    rmSync(join(folder, String(older)), { force: true });
  }
  return true;
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
