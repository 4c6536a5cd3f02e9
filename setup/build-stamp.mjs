/**
 * Freshness by content: a folder that was made from certain files carries their fingerprint, and
 * goes stale when one of them changes. Deleting the folder deletes the stamp with it.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './command.mjs';

const fileName = '.vidgen-stamp';

/**
 * @param {string[]} files
 * @param {string[]} values whatever else the result depends on
 */
export function fingerprint(files, values) {
  const hash = createHash('sha256').update(values.join('\0'));
  for (const file of files) hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * @param {string} folder
 * @param {string} stamp
 */
export function hasStamp(folder, stamp) {
  try {
    return readFileSync(join(folder, fileName), 'utf8') === stamp;
  } catch {
    return false;
  }
}

/**
 * Written last, when the folder is complete.
 * @param {string} folder
 * @param {string} stamp
 */
export function writeStamp(folder, stamp) {
  writeFileSync(join(folder, fileName), stamp);
}

/**
 * Before work on the folder begins: stopped half-way, it must not pass for complete.
 * @param {string} folder
 */
export function removeStamp(folder) {
  rmSync(join(folder, fileName), { force: true });
}
