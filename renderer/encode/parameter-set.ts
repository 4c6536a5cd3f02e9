/**
 * Completes the parameter set of the WebAssembly encoder (H.264, 7.3.2.1.1 and E.1.1): bt709 colors
 * in limited range, square pixels, constrained baseline and the level.
 */

const constraints = 0xc0;

/** The bits of the video usability information. */
const usability = [
  '1', // present
  '1', // sample aspect ratio:
  '00000001', // square
  '0', // no overscan info
  '1', // video signal type:
  '101', // unspecified format
  '0', // limited range
  '1', // color description:
  ...['00000001', '00000001', '00000001'], // bt709 primaries, transfer and matrix
  '0', // default chroma location
  '0', // timing in the container
  ...['0', '0', '0', '0'], // no HRD, picture structure or restriction
].join('');

/** The decoder configuration record of an `avc1` track (ISO 14496-15, 5.3.3.1), completed. */
export function completed(record: Uint8Array, { level }: { readonly level: number }): Buffer {
  const bytes = Buffer.from(record);
  const length = bytes.readUInt16BE(6);
  const sequence = completedSequence(bytes.subarray(8, 8 + length), level);
  const head = Buffer.from(bytes.subarray(0, 8));
  head.set([constraints, level], 2);
  head.writeUInt16BE(sequence.length, 6);
  return Buffer.concat([head, sequence, bytes.subarray(8 + length)]);
}

/** A set without usability information ends with a 0 flag, a stop bit 1 and padding zeros. */
function completedSequence(unit: Buffer, level: number): Buffer {
  const plain = withoutEmulationPrevention(unit);
  plain.set([constraints, level], 2);
  const bits = [...plain].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const end = bits.lastIndexOf('1') - 1;
  if (bits[end] !== '0') throw new Error('the encoder already describes its colors');
  const extended = `${bits.slice(0, end)}${usability}1`;
  const filled = extended.padEnd(Math.ceil(extended.length / 8) * 8, '0');
  return withEmulationPrevention(filled.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** Inserts emulation prevention bytes: 3 between two zero bytes and a small one. */
function withEmulationPrevention(bytes: readonly number[]): Buffer {
  const escaped: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros === 2 && byte <= 3) {
      escaped.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    escaped.push(byte);
  }
  return Buffer.from(escaped);
}

function withoutEmulationPrevention(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.filter((byte, at) => byte !== 3 || at < 2 || bytes[at - 1] !== 0 || bytes[at - 2] !== 0),
  );
}
