/**
 * The environment of a start: `.env` is read into it, and secrets are erased from it once they are
 * read.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The field of `/proc/self/stat` with the address of the environment, counted after the name. */
const environmentStartField = 47;

/**
 * Erases variables from the environment that this process was started with. Deleting one from
 * `process.env` is not enough: Linux shows the first environment in `/proc/<pid>/environ` to every
 * process of the same user, from the memory where it was passed. Does nothing on other platforms,
 * or without `/proc`.
 */
export function eraseStartEnvironment(names: readonly string[]): void {
  if (process.platform !== 'linux') return;
  try {
    eraseEntries(new Set(names));
  } catch {
    // Processes of other users cannot read it, and media processes in a user namespace neither.
  }
}

/** Their pointers must be removed from the environment first: `delete process.env.NAME`. */
function eraseEntries(names: ReadonlySet<string>): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name of the program is in parentheses and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const environmentStart = Number(fields[environmentStartField]);
  // The bytes at that address, in the same order.
  const environment = readFileSync('/proc/self/environ', 'latin1');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    let offset = 0;
    for (const entry of environment.split('\0')) {
      if (names.has(entry.slice(0, entry.indexOf('=')))) {
        const erased = Buffer.alloc(entry.length);
        writeSync(memory, erased, 0, erased.length, environmentStart + offset);
      }
      offset += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}

const path = join(import.meta.dirname, '../..', '.env');

/**
 * Reads `.env` in the project folder into the environment, however the program was started; a
 * variable of the environment wins, also an empty one. Call it before anything reads a setting.
 * Tests set `VIDGEN_TEST_ENV_FILE` to another file, or to `off`: they must never reach the database
 * of an installation.
 */
export function loadEnvFile(environment: NodeJS.ProcessEnv = process.env): void {
  const file = environment.VIDGEN_TEST_ENV_FILE ?? path;
  if (file === 'off') return;
  try {
    const variables = parseEnv(readFileSync(file, 'utf8'));
    for (const [name, value] of Object.entries(variables)) environment[name] ??= value;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A supervisor may have read a file that this user cannot read.
    if (code !== 'ENOENT') process.stderr.write(`.env was not read (${code})\n`);
  }
}
