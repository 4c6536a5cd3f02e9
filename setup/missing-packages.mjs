/**
 * npm keeps silent when it cannot fetch an optional package, and calls the installation a success.
 * The binaries of this platform are all optional packages, so what is missing must be looked for.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An entry of a lockfile, as far as it matters here.
 * @typedef {{
 *   optional?: boolean, dev?: boolean, link?: boolean,
 *   os?: string | string[], cpu?: string | string[], libc?: string | string[],
 * }} LockfileEntry
 */

/**
 * Packages for this platform that the lockfile of a folder has and its `node_modules` lacks.
 * @param {string} folder
 * @param {{ includeDev: boolean }} options whether test tools should be there
 * @returns {string[]}
 */
export function missingPackages(folder, { includeDev }) {
  /** @type {{ packages: Record<string, LockfileEntry> }} */
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
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
 * A list of what is meant, or with `!` of what is not.
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
