/**
 * Finds optional packages that npm failed to install. npm ignores such failures, but all binaries
 * for a platform are optional packages.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The used fields of a lockfile entry.
 * @typedef {{
 *   optional?: boolean, dev?: boolean,
 *   os?: string | string[], cpu?: string | string[], libc?: string | string[],
 * }} LockfileEntry
 */

/**
 * Returns the packages for this platform that are in the lockfile but not in `node_modules`.
 * @param {string} folder
 * @param {{ includeDev: boolean }} options whether test tools are expected
 * @returns {string[]}
 */
export function missingPackages(folder, { includeDev }) {
  /** @type {Record<string, LockfileEntry>} */
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked)
    .filter(([, entry]) => entry.optional && (includeDev || !entry.dev))
    .filter(([, entry]) => (entry.os || entry.cpu) && matchesPlatform(entry))
    .filter(([path]) => !existsSync(join(folder, path, 'package.json')))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** @param {LockfileEntry} locked */
function matchesPlatform({ os, cpu, libc }) {
  return (
    allows(os, process.platform) &&
    allows(cpu, process.arch) &&
    (libc === undefined || allows(libc, isMusl() ? 'musl' : 'glibc'))
  );
}

/**
 * Whether a lockfile list, whose entries can be negated with `!`, includes the value.
 * @param {string | string[] | undefined} list
 * @param {string} value
 */
function allows(list, value) {
  if (list === undefined) return true;
  const entries = [list].flat();
  if (entries.includes(`!${value}`)) return false;
  return entries.includes(value) || entries.every((entry) => entry.startsWith('!'));
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } } | undefined} */ (
    process.report?.getReport()
  );
  return !report?.header?.glibcVersionRuntime;
}
