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
    const start = at + found.headBytes;
    const end = at + found.bytes;
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

/** Two minutes of PCM have half as many. */
const chunkSamplesMax = 10_000_000;
/** Of all fragments together; the parser makes an object of each sample. */
const runSamplesMax = 200_000;

/**
 * Whether the samples can be counted in a reasonable time, as far as `read` knows the bytes. A few
 * bytes can claim billions, and the parser visits each.
 */
export function isCountable(read: ReadBytes, bytesTotal: number): boolean {
  let runSamples = 0;
  for (const box of topBoxes(read, bytesTotal)) {
    const content = box && /^(moov|moof)$/.test(box.type) ? box.read() : null;
    if (!content) continue;
    if (box?.type === 'moov' && chunkTables(content).some(hasHugeChunk)) return false;
    for (const track of childrenOf(content, 'traf')) {
      for (const run of childrenOf(track.content, 'trun')) runSamples += countAt(run.content, 4);
    }
    if (runSamples > runSamplesMax) return false;
  }
  return true;
}

const chunkTables = (index: Buffer): Buffer[] =>
  ['trak', 'mdia', 'minf', 'stbl', 'stsc'].reduce(
    (parents, name) =>
      parents.flatMap((parent) => childrenOf(parent, name).map(({ content }) => content)),
    [index],
  );

/** Entries of the first chunk, its number of samples and its description. */
function hasHugeChunk(table: Buffer): boolean {
  for (let at = 8; at + 12 <= table.length; at += 12) {
    if (table.readUInt32BE(at + 4) > chunkSamplesMax) return true;
  }
  return false;
}

const countAt = (content: Buffer, at: number): number =>
  at + 4 <= content.length ? content.readUInt32BE(at) : 0;
