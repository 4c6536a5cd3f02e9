/**
 * Saves a stream to a file that appears under its name only when complete: a temporary file next to
 * it is renamed.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Returns the number of bytes written. Rethrows errors of the stream or the disk and leaves no file
 * behind.
 */
export async function saveStream(stream: AsyncIterable<Uint8Array>, into: string): Promise<number> {
  const partPath = `${into}.${randomUUID()}.part`;
  const file = await open(partPath, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    // Not synced: files that must survive a power failure are copied into storage, which syncs
    // them.
    await file.close();
    await rename(partPath, into);
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partPath, { force: true });
    throw error;
  }
}
