/**
 * Two set-ups at once on one checkout must not install over each other: the second waits, and then
 * finds everything done. A set-up that was killed holds nobody up.
 *
 * Turns are numbered files, and whoever creates the next number has the turn: creating a file that
 * must not exist succeeds for one process only. A turn is never taken away by deleting its file, so
 * there is no moment in which two believe they have it.
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
/** Looks without a sign of life after which a holder counts as gone, also on another host: 30 s. */
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
 * Somebody who deletes the folder of the turns must not break the work that is under way.
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
 * @returns {Promise<string>} the file of our turn
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
    if (!hasReported)
      process.stderr.write(`Another set-up is under way (${holder}); waiting for it\n`);
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
      `The set-up is not complete, and this user cannot write to ${root}. ` +
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
    // Older than a turn taken since: the next look sees that one.
    return { holder: '', state: '' };
  }
}

/**
 * The holder signs after it has created the file, so for a moment nobody is named.
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
  // We may have looked so long ago that later turns have come and this number has gone since.
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
