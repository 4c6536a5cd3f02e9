/** Whether files can be written to and read from a results folder, and whether its disk is full. */
import { randomUUID } from 'node:crypto';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What PostgreSQL needs for its next log file, and a little more. */
const freeBytesMin = 64 * 1024 ** 2;

/** Throws the error of the first step that fails. */
export async function probeDisk(folder: string): Promise<void> {
  // No key can start with a dot, so the file is never mistaken for a result.
  const file = join(folder, `.probe-${randomUUID()}`);
  try {
    await writeFile(file, 'probe', { mode: 0o600, flush: true });
    await readFile(file);
  } finally {
    await rm(file, { force: true });
  }
}

export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < freeBytesMin;
}
