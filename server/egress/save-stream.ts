/** Saves a stream to a file that no one else knows yet, and that the caller deletes. */
import { open, rm } from 'node:fs/promises';

/**
 * Returns the number of bytes written. Rethrows errors of the stream or the disk and leaves no file
 * behind.
 */
export async function saveStream(stream: AsyncIterable<Uint8Array>, into: string): Promise<number> {
  const file = await open(into, 'w', 0o600);
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
