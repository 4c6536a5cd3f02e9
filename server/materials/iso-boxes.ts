/**
 * The boxes of MP4 and MOV files (ISO 14496-12, 4.2). Every loop moves forward, so the work is
 * linear in the bytes at hand.
 */

/** From `start` up to but not including `end`; null if any of the bytes is unknown. */
export type ReadBytes = (start: number, end: number) => Buffer | null;

export type Box = {
  readonly type: string;
  /** Without the header. */
  readonly content: Buffer;
  readonly whole: Buffer;
};

export type TopBox = BoxHead & {
  /** Its content; null if it is unknown. */
  readonly read: () => Buffer | null;
};

/** The boxes of a file, as far as they are known. The last one is null if it is cut off. */
export function* topBoxes(read: ReadBytes, bytesTotal: number): Generator<TopBox | null, void> {
  for (let at = 0; at + 8 <= bytesTotal; ) {
    const head = read(at, Math.min(at + 16, bytesTotal));
    if (!head) return;
    const found = boxHead(head, bytesTotal - at);
    if (!found) return yield null;
    const [start, end] = [at + found.headBytes, at + found.bytes];
    yield { ...found, read: () => read(start, end) };
    at = end;
  }
}

export const childrenOf = (content: Buffer, type: string): Box[] =>
  boxesIn(content).boxes.filter((box) => box.type === type);

/** `rest`: the bytes from the first that begin no whole box. */
export function boxesIn(content: Buffer): { readonly boxes: Box[]; readonly rest: Buffer } {
  const boxes: Box[] = [];
  let at = 0;
  for (;;) {
    const head = boxHead(content.subarray(at), content.length - at);
    // In a box, a size of 0 is none.
    if (!head || content.readUInt32BE(at) === 0) break;
    const whole = content.subarray(at, at + head.bytes);
    boxes.push({ type: head.type, content: whole.subarray(head.headBytes), whole });
    at += head.bytes;
  }
  return { boxes, rest: content.subarray(at) };
}

type BoxHead = { readonly type: string; readonly headBytes: number; readonly bytes: number };

/** Null if no whole box begins there. A size of 0 means all that is left. */
function boxHead(head: Buffer, bytesLeft: number): BoxHead | null {
  if (head.length < 8) return null;
  const short = head.readUInt32BE(0);
  const headBytes = short === 1 ? 16 : 8;
  if (headBytes > head.length) return null;
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  const bytes = size === 0 ? bytesLeft : size;
  if (bytes < headBytes || bytes > bytesLeft) return null;
  return { type: head.toString('latin1', 4, 8), headBytes, bytes };
}
