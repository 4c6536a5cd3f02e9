/**
 * The boxes an MP4 is made of, as far as a player must know them before it can start: which ones
 * there are, and whether the file ends where the last one does.
 */
import { open } from 'node:fs/promises';

export type Boxes = {
  /** The names of the top ones, in their order. */
  readonly names: readonly string[];
  /** Whether the last one ends with the file: a disk that filled up leaves less. */
  readonly isWhole: boolean;
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
    // 1: the length follows in 64 bits; 0: to the end of the file.
    const bytes = length === 1 ? Number(head.readBigUInt64BE(8)) : length || size - at;
    if (bytes < 8) return { names, isWhole: false };
    at += bytes;
  }
  return { names, isWhole: at === size };
}

/** Throws unless the file is whole and a player can start before it has all of it. */
export async function checkWritten(file: string): Promise<void> {
  const { names, isWhole } = await boxesOf(file);
  const [index, media] = [names.indexOf('moov'), names.indexOf('mdat')];
  if (isWhole && index >= 0 && index < media) return;
  throw new Error('the clip was not written to its end');
}
