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

const lookMs = 200;
const lifeSignMs = 2000;
/** Looks without a sign of life after which a holder counts as gone, also on another host: 30 s. */
const looksMax = 150;
const over = 'over';

/**
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @param {string} [folder]
 * @returns {Promise<T>}
 */
export async function alone(signal, work, folder = join(root, '.setup-lock')) {
  const turn = await takeTurn(folder, signal);
  const lifeSigns = setInterval(() => unlessDeleted(() => touch(turn)), lifeSignMs);
  try {
    return await work();
  } finally {
    clearInterval(lifeSigns);
    unlessDeleted(() => writeFileSync(turn, over));
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
async function takeTurn(folder, signal) {
  unlessForbidden(() => mkdirSync(folder, { recursive: true }));
  let watched = { sign: '', looks: 0 };
  for (let told = false; ; ) {
    const last = lastTurn(folder);
    const { holder, sign } = look(folder, last);
    watched = sign === watched.sign ? { sign, looks: watched.looks + 1 } : { sign, looks: 0 };
    if (last === 0 || isGone(holder) || watched.looks > looksMax) {
      if (unlessForbidden(() => create(folder, last + 1))) return join(folder, String(last + 1));
      continue;
    }
    if (!told) process.stderr.write(`Another set-up is under way (${holder}); waiting for it\n`);
    told = true;
    await wait(lookMs, undefined, { signal });
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
function turns(folder) {
  return readdirSync(folder).map(Number).filter(Number.isInteger);
}

/** @param {string} folder */
function lastTurn(folder) {
  return Math.max(0, ...turns(folder));
}

/**
 * @param {string} folder
 * @param {number} turn
 */
function look(folder, turn) {
  const file = join(folder, String(turn));
  try {
    const holder = readFileSync(file, 'utf8');
    return { holder, sign: `${turn} ${holder} ${statSync(file).mtimeMs}` };
  } catch {
    // Older than a turn taken since: the next look sees that one.
    return { holder: '', sign: '' };
  }
}

/**
 * The holder signs after it has created the file, so for a moment nobody is named.
 * @param {string} holder
 */
function isGone(holder) {
  if (holder === over) return true;
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
 * @param {number} turn
 */
function create(folder, turn) {
  const file = join(folder, String(turn));
  try {
    writeFileSync(file, `process ${process.pid} on ${hostname()}`, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  // We may have looked so long ago that later turns have come and this number has gone since.
  if (lastTurn(folder) !== turn) {
    rmSync(file, { force: true });
    return false;
  }
  for (const older of turns(folder).filter((one) => one < turn)) {
    rmSync(join(folder, String(older)), { force: true });
  }
  return true;
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
