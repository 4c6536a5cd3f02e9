/** The mark of a results folder, by which processes notice that they do not share it. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** No key can start with a dot, so the file is never mistaken for a result. */
export const storageMarkName = '.storage-id';

/** Returns the mark; writes one if the folder has none. Of two processes at once, one writes it. */
export async function readStorageMark(folder: string): Promise<string> {
  const path = join(folder, storageMarkName);
  const own = join(folder, `${storageMarkName}.${randomUUID()}`);
  try {
    await writeFile(own, `${randomUUID()}\n`, { mode: 0o600, flush: true });
    // A link, unlike a write, is there completely or not at all, and never replaces another.
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(own, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
