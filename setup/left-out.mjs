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
 * }} Locked
 */

/**
 * Packages for this platform that the lockfile of a folder has and its `node_modules` lacks.
 * @param {string} folder
 * @param {{ tools: boolean }} wanted whether the tools of tests are among what was to be installed
 * @returns {string[]}
 */
export function leftOut(folder, { tools }) {
  /** @type {{ packages: Record<string, Locked> }} */
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([, locked]) => locked.optional && (tools || !locked.dev))
    .filter(([, locked]) => (locked.os || locked.cpu) && fits(locked))
    .filter(([place]) => !existsSync(join(folder, place, 'package.json')))
    .map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** @param {Locked} locked */
function fits({ os, cpu, libc }) {
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
  const words = [list].flat();
  if (words.includes(`!${value}`)) return false;
  return words.includes(value) || words.every((word) => word.startsWith('!'));
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } } | undefined} */ (
    process.report?.getReport()
  );
  return !report?.header?.glibcVersionRuntime;
}
