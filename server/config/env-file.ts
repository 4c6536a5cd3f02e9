/**
 * Reads `.env` in the project folder into the environment, however the program was started. A
 * variable of the environment wins, also an empty one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const path = join(import.meta.dirname, '../..', '.env');

/**
 * Call it before anything reads a setting. Tests set `VIDGEN_TEST_ENV_FILE` to another file, or to
 * `off`: they must never reach the database of an installation.
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
