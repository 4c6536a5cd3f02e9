/**
 * Temporary folders that outlive nobody for long: each is named after the process it belongs to,
 * and those of processes that died without clearing up are deleted by the next one of their kind.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For this process, which deletes it at its end. `kind` tells whose folders to sweep. */
export function makeTemporaryFolder(kind: string): string {
  const prefix = `vidgen-${kind}-`;
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (owner && !isAlive(owner)) deleteFolder(join(tmpdir(), name));
  }
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Also while a process that is about to end still writes into it. */
export function deleteFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Another user's, or not empty yet: swept by whoever can, later.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
