/** Reads the top-level boxes of an MP4, and checks that the file is complete and streamable. */
import { open } from 'node:fs/promises';

export type Boxes = {
  readonly names: readonly string[];
  /** Whether the last box ends with the file; false after a full disk. */
  readonly isComplete: boolean;
};

export async function boxesOf(file: string): Promise<Boxes> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const names: string[] = [];
  const head = Buffer.alloc(16);
  let at = 0;
  while (at + 8 <= size) {
    await handle.read(head, 0, 16, at);
    names.push(head.toString('latin1', 4, 8));
    const length = head.readUInt32BE(0);
    // 1 means a 64-bit length follows, 0 that the box extends to the end of the file.
    const bytes = length === 1 ? Number(head.readBigUInt64BE(8)) : length || size - at;
    if (bytes < 8) return { names, isComplete: false };
    at += bytes;
  }
  return { names, isComplete: at === size };
}

/** Throws unless the file is complete and has its index before the media. */
export async function checkWritten(file: string): Promise<void> {
  const { names, isComplete } = await boxesOf(file);
  const [index, media] = [names.indexOf('moov'), names.indexOf('mdat')];
  if (isComplete && index >= 0 && index < media) return;
  throw new Error('the clip was not written completely');
}
