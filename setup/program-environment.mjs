/** The environment of the program that a command runs: the user's, with Node's compile cache. */
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
