/**
 * A stream to a file that appears under its name only when it is whole: written beside it, renamed.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** The bytes written. Whatever the stream or the disk throws is thrown on, and nothing is left. */
export async function saveStream(stream: AsyncIterable<Uint8Array>, into: string): Promise<number> {
  const partPath = `${into}.${randomUUID()}.part`;
  const file = await open(partPath, 'wx');
  try {
    let bytes = 0;
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    // Not synced: what must survive a power cut is copied into storage, which syncs it.
    await file.close();
    await rename(partPath, into);
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partPath, { force: true });
    throw error;
  }
}
