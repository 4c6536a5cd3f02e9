/** The API keys that `login` received, one per service, in a file that only its owner can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './output.mjs';

/** An environment variable names it; else it is where programs of the system keep settings. */
const settingsFolder = () => {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  return XDG_CONFIG_HOME || APPDATA || join(homedir(), '.config');
};

export const credentialsFile = join(settingsFolder(), 'vidgen', 'keys.json');

/** By the URL of the service. @returns {Record<string, string>} */
function readKeys() {
  try {
    return JSON.parse(readFileSync(credentialsFile, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {string} url */
export const storedKey = (url) => readKeys()[url];

/** Called before a key is requested that could not be kept. */
export function requireWritable() {
  try {
    writeKeys(readKeys());
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new CliError(
      `${credentialsFile} cannot be written (${message}); make it writable, or set VIDGEN_KEY ` +
        'to a key of the dashboard.',
    );
  }
}

/** @param {string} url */
export function storeKey(url, /** @type {string} */ key) {
  writeKeys({ ...readKeys(), [url]: key });
}

/** Replaces the file at once, so that no reader finds half of it. */
function writeKeys(/** @type {Record<string, string>} */ keys) {
  mkdirSync(dirname(credentialsFile), { recursive: true, mode: 0o700 });
  const next = `${credentialsFile}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, credentialsFile);
}
