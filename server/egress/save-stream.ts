/** Saves a stream to a file that no one else knows yet, and that the caller deletes. */
import { close, closeSync, fsync, ftruncate, open, read, write } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The path of a new file, or something that saves the stream itself: it returns the number of bytes
 * of the stream's file, and rethrows errors of the stream or the disk.
 */
export type SaveInto = string | { save(stream: Chunks): Promise<number> };

/**
 * Returns the number of bytes written; creates the folder if it is missing. Rethrows errors of the
 * stream or the disk and leaves no file behind. A file is synced on request: those that must
 * survive a power failure are put into storage.
 */
export async function saveStream(
  stream: Chunks,
  into: SaveInto,
  { isSynced = false } = {},
): Promise<number> {
  if (typeof into !== 'string') return await into.save(stream);
  const file = await NewFile.open(into);
  try {
    let bytes = 0;
    for await (const chunk of stream) {
      await file.write(chunk, bytes);
      bytes += chunk.length;
    }
    if (isSynced) await file.sync();
    await file.close();
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(into, { force: true });
    throw error;
  }
}

const openDescriptor = promisify(open);
const readAt = promisify(read);
const writeAt = promisify(write);
const truncate = promisify(ftruncate);
const sync = promisify(fsync);
const closeDescriptor = promisify(close);

/** A new file, by its descriptor, which takes less processor time than a `FileHandle`. */
export class NewFile {
  readonly #descriptor: number;
  #isSynced = false;
  #isClosed = false;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** For reading and writing; creates the folder if it is missing. */
  static async open(path: string): Promise<NewFile> {
    const opened = () => openDescriptor(path, 'w+', 0o600);
    const descriptor = await opened().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true });
      return await opened();
    });
    return new NewFile(descriptor);
  }

  /** Writes all of the bytes, or throws. */
  async write(bytes: Uint8Array, at: number): Promise<void> {
    this.#isSynced = false;
    for (let done = 0; done < bytes.length; ) {
      const rest = bytes.length - done;
      done += (await writeAt(this.#descriptor, bytes, done, rest, at + done)).bytesWritten;
    }
  }

  /** Fills the buffer as far as the file goes, and returns how many bytes that were. */
  async read(buffer: Uint8Array, at: number): Promise<number> {
    return (await readAt(this.#descriptor, buffer, 0, buffer.length, at)).bytesRead;
  }

  async truncate(length: number): Promise<void> {
    await truncate(this.#descriptor, length);
  }

  async sync(): Promise<void> {
    await sync(this.#descriptor);
    this.#isSynced = true;
  }

  /** When nothing is read or written any more. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // After a sync nothing is left to write, so it does not wait for the disk.
    if (this.#isSynced) closeSync(this.#descriptor);
    else await closeDescriptor(this.#descriptor);
  }
}
