/**
 * Erases variables from the environment that this process was started with. Deleting one from
 * `process.env` is not enough: Linux shows the first environment in `/proc/<pid>/environ` to every
 * process of the same user, from the memory where it was passed.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The field of `/proc/self/stat` with the address of the environment, counted after the name. */
const environmentStartField = 47;

/** Does nothing on other platforms, or without `/proc`. */
export function eraseStartEnvironment(names: readonly string[]): void {
  if (process.platform !== 'linux') return;
  try {
    eraseEntries(new Set(names));
  } catch {
    // Processes of other users cannot read it, and media processes in a user namespace neither.
  }
}

const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='));

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
      if (names.has(nameOf(entry))) {
        const erased = Buffer.alloc(entry.length);
        writeSync(memory, erased, 0, erased.length, environmentStart + offset);
      }
      offset += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}
