/**
 * Marks a generated folder with the fingerprint of its source files, to detect when it is out of
 * date.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './command.mjs';

const fileName = '.vidgen-stamp';

/**
 * @param {string[]} files
 * @param {string[]} values other inputs of the result
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
 * Call last, when the folder is complete.
 * @param {string} folder
 * @param {string} stamp
 */
export function writeStamp(folder, stamp) {
  writeFileSync(join(folder, fileName), stamp);
}

/**
 * Call before changing the folder, so that an interrupted change is not taken for complete.
 * @param {string} folder
 */
export function removeStamp(folder) {
  rmSync(join(folder, fileName), { force: true });
}
