/**
 * Temporary folders named after their process. The next process of the same kind deletes the
 * folders of processes that died.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pidPattern = /^(\d{1,9})-\w{6}$/;
const folders: string[] = [];
process.once('exit', () => folders.forEach(deleteFolder));

/**
 * Creates a folder that this process deletes at its end; first deletes the folders of dead
 * processes of this `kind`.
 */
export function makeTemporaryFolder(kind: string): string {
  const prefix = `vidgen-${kind}-`;
  for (const name of readdirSync(tmpdir())) {
    // Other folders of a test may begin alike, and go on with random characters.
    const [, owner] = name.startsWith(prefix)
      ? (pidPattern.exec(name.slice(prefix.length)) ?? [])
      : [];
    if (owner && !isAlive(Number(owner))) deleteFolder(join(tmpdir(), name));
  }
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  folders.push(folder);
  return folder;
}

/** For what takes much space. Retries while an ending process still writes into the folder. */
export function deleteFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Owned by another user or not empty yet: deleted by a later process.
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
