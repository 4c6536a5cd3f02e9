/**
 * Erases the environment of the launcher, which stays as long as the service: Linux shows it in
 * `/proc/<pid>/environ` to every process of the same user, with the secrets of the service.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The fields of `/proc/self/stat` with its first and last address, counted after the name. */
const [startField, endField] = [47, 48];

/** Called when the service has its copy. Does nothing on other platforms, or without `/proc`. */
export function eraseEnvironment() {
  if (process.platform !== 'linux') return;
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The name of the program is in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = Number(fields[startField]);
    const zeros = Buffer.alloc(Number(fields[endField]) - start);
    const memory = openSync('/proc/self/mem', 'r+');
    writeSync(memory, zeros, 0, zeros.length, start);
    closeSync(memory);
  } catch {
    // The service still erases its own.
  }
}
