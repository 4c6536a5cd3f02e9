/** Saves a stream to a file that no one else knows yet, and that the caller deletes. */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The path of a new file, or something that saves the stream itself: it returns the number of bytes
 * of the stream's file, and rethrows errors of the stream or the disk.
 */
export type SaveInto = string | { save(stream: Chunks): Promise<number> };

/**
 * Returns the number of bytes written; creates the folder if it is missing. Rethrows errors of the
 * stream or the disk and leaves no file behind.
 */
export async function saveStream(stream: Chunks, into: SaveInto): Promise<number> {
  if (typeof into !== 'string') return await into.save(stream);
  const file = await openNew(into);
  try {
    let bytes = 0;
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    // Not synced: files that must survive a power failure are put into storage, which syncs them.
    await file.close();
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(into, { force: true });
    throw error;
  }
}

/** For reading and writing; creates the folder if it is missing. */
export async function openNew(path: string): Promise<FileHandle> {
  const opened = () => open(path, 'w+', 0o600);
  return await opened().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    return await opened();
  });
}
