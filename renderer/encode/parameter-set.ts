/**
 * What a decoder must know before the first frame, completed where the WebAssembly encoder is
 * silent or wrong: that colors are bt709 in limited range and pixels square (H.264, 7.3.2.1.1 and
 * E.1.1), that every decoder from the plainest up may play it, and how fast it must be.
 */

/** Constrained baseline: of the tools that only a baseline decoder has, none is used. */
const constraints = 0xc0;

/** Of the video usability information, bit by bit. */
const usability = [
  '1', // it follows
  '1', // shape of a pixel:
  '00000001', // square
  '0', // overscan: nothing
  '1', // kind of signal:
  '101', // of no television standard
  '0', // limited range
  '1', // colors:
  ...['00000001', '00000001', '00000001'], // primaries, transfer and matrix of bt709
  '0', // place of the color samples: the usual
  '0', // timing: the container's
  ...['0', '0', '0', '0'], // no buffering model, no picture structure, no restriction
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

/**
 * Without usability information, a sequence parameter set ends with the bit that says so, before a
 * one and zeros that fill the byte: from there on it is written anew.
 */
function completedSequence(unit: Buffer, level: number): Buffer {
  const plain = withoutGuards(unit);
  plain.set([constraints, level], 2);
  const bits = [...plain].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const end = bits.lastIndexOf('1') - 1;
  if (bits[end] !== '0') throw new Error('the encoder describes its colors by itself');
  const longer = `${bits.slice(0, end)}${usability}1`;
  const filled = longer.padEnd(Math.ceil(longer.length / 8) * 8, '0');
  return withGuards(filled.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** Two zero bytes and a small one would look like the start of a unit: a 3 stands between them. */
function withGuards(bytes: readonly number[]): Buffer {
  const guarded: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros === 2 && byte <= 3) {
      guarded.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    guarded.push(byte);
  }
  return Buffer.from(guarded);
}

function withoutGuards(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.filter((byte, at) => byte !== 3 || at < 2 || bytes[at - 1] !== 0 || bytes[at - 2] !== 0),
  );
}
