/**
 * The environment of the program that a command runs (the user's and that of `.env`, with Node's
 * compile cache), and that of the launcher itself.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.mjs';

/**
 * The cache holds types already stripped and functions already compiled: a warm start takes half of
 * the processor time, and the process never loads the 17 MB parser of TypeScript. Node checks each
 * entry against the source, writes entries when the process exits, and does without them where the
 * folder is read-only. `npm ci` deletes the folder.
 */
const compileCacheFolder = join(root, 'node_modules/.cache/node');

/**
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function programEnvironment(environment) {
  return { NODE_COMPILE_CACHE: compileCacheFolder, ...environment };
}

/**
 * Options of Node for the program: it reads `.env` in the project folder itself, and a variable of
 * the environment wins, also an empty one. The service reads it too, but later than Node's own
 * variables take effect. Tests do not read it: they must never reach the database of an
 * installation.
 * @param {'start' | 'test' | 'dev'} purpose
 * @param {string} [folder]
 */
export function programOptions(purpose, folder = root) {
  const envFile = join(folder, '.env');
  const warnings = '--disable-warning=ExperimentalWarning';
  return purpose === 'test' || !existsSync(envFile)
    ? [warnings]
    : [warnings, `--env-file=${envFile}`];
}

/** The fields of `/proc/self/stat` with its first and last address, counted after the name. */
const startField = 47;
const endField = 48;

/**
 * Erases the environment of the launcher, which stays as long as the service: Linux shows it in
 * `/proc/<pid>/environ` to every process of the same user, with the secrets of the service. Called
 * when the service has its copy. Does nothing on other platforms, or without `/proc`.
 */
export function eraseEnvironment() {
  if (process.platform !== 'linux') return;
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The name of the program is in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = Number(fields[startField]);
    const zeros = Buffer.alloc(Number(fields[endField]) - start);
    const memory = openSync('/proc/self/mem', 'r+');
    writeSync(memory, zeros, 0, zeros.length, start);
    closeSync(memory);
  } catch {
    // The service still erases its own.
  }
}
