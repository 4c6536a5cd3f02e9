/**
 * Writes tar archives (POSIX ustar) as a stream. An archive whose end is missing was cut off, and
 * tools report it.
 */
import assert from 'node:assert/strict';

const blockBytes = 512;
/** Of a name without a prefix, and of the largest size that eleven octal digits write. */
const nameBytesMax = 100;
const bytesMax = 8 ** 11 - 1;

export type TarEntry = {
  /** A relative path in ASCII. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
};

/** Goes before the content of a file. */
export function tarHeader({ name, bytes, modifiedAt }: TarEntry): Buffer {
  assert(Buffer.byteLength(name) <= nameBytesMax && bytes <= bytesMax, `not for tar: ${name}`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'ascii');
  header.write(name, 0, 'ascii');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes, 124, 11);
  octal(Math.max(0, Math.floor(modifiedAt.getTime() / 1000)), 136, 11);
  header.write('        0', 148, 'ascii'); // The checksum counts as spaces; then a regular file.
  header.write('ustar\x0000', 257, 'ascii');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/** Goes after the content of a file: up to a whole block. */
export const tarPadding = (bytes: number): Buffer =>
  Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);

/** Goes after the last file. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes);
