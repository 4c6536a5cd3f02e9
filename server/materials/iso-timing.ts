/**
 * What the index of an MP4 or MOV file says about time beyond its samples: edit lists (ISO
 * 14496-12, 8.6.6) and fragments after a sample table. Players differ in what they make of both,
 * so only plain ones are trusted. Linear in the bytes of the index.
 */
export type IsoTiming = {
  /** False if players can show more than the samples of the index, once and at their own speed. */
  readonly isPlain: boolean;
  /** The longest edit list, with its pauses; 0 without one. */
  readonly editSeconds: number;
};

type Box = {
  readonly type: string;
  /** Without the header. */
  readonly content: Buffer;
  readonly whole: Buffer;
};

/** `index` is the content of the `moov` box. */
export function readIsoTiming(index: Uint8Array): IsoTiming {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length);
  const tracks = childrenOf(bytes, 'trak').map(({ content }) =>
    childrenOf(content, 'edts').flatMap((edits) => childrenOf(edits.content, 'elst')),
  );
  const timescale = timescaleOf(bytes);
  const lists = tracks.flat().map(({ content }) => readEditList(content));
  const parts = partsWithoutText(bytes);
  const count = (name: string) => positionsOf(parts, name).length;
  const isPlain =
    // FFmpeg accepts an edit list anywhere, and applies the last one of a track.
    tracks.every(({ length }) => length <= 1) &&
    count('elst') === lists.length &&
    lists.every((list) => list.isPlain && (timescale > 0 || list.duration === 0)) &&
    // A compressed index can replace this one.
    count('cmov') === 0 &&
    (count('trex') === 0 || !hasSampleTable(parts));
  const durations = lists.map(({ duration }) => (timescale > 0 ? duration / timescale : 0));
  return { isPlain, editSeconds: durations.reduce((one, other) => Math.max(one, other), 0) };
}

/** Bytes of the header that come before the number of entries. */
const versionBytes = 4;

type EditList = { readonly isPlain: boolean /** In ticks. */; readonly duration: number };

/** Plain: pauses, and the media once, at its own speed. */
function readEditList(content: Buffer): EditList {
  const odd = { isPlain: false, duration: 0 };
  if (content.length < versionBytes + 4) return odd;
  const version = content[0]!;
  const entryBytes = version === 1 ? 20 : 12;
  const count = content.readUInt32BE(versionBytes);
  const entries = content.subarray(versionBytes + 4);
  if (version > 1 || count * entryBytes > entries.length) return odd;
  let [duration, mediaEntries, isPlain] = [0, 0, true];
  for (let at = 0; at < count * entryBytes; at += entryBytes) {
    const isLong = version === 1;
    duration += isLong ? Number(entries.readBigUInt64BE(at)) : entries.readUInt32BE(at);
    const from = isLong ? Number(entries.readBigInt64BE(at + 8)) : entries.readInt32BE(at + 4);
    // A fixed-point number: 1 is the speed of the media.
    if (from < -1 || entries.readUInt32BE(at + entryBytes - 4) !== 0x10000) isPlain = false;
    if (from !== -1) mediaEntries += 1;
  }
  return { isPlain: isPlain && mediaEntries <= 1, duration };
}

/** Ticks per second of edit lists; 0 if it is missing. */
function timescaleOf(index: Buffer): number {
  const [header] = childrenOf(index, 'mvhd');
  const at = header?.content[0] === 1 ? 20 : 12;
  return header && header.content.length >= at + 4 ? header.content.readUInt32BE(at) : 0;
}

/** Whether a sample table has an entry. Those of a fragmented file are empty. */
const hasSampleTable = (parts: readonly Buffer[]): boolean =>
  positionsOf(parts, 'stts').some(
    ({ part, at }) => at + 12 > part.length || part.readUInt32BE(at + 8) > 0,
  );

function positionsOf(parts: readonly Buffer[], name: string) {
  const positions: { readonly part: Buffer; readonly at: number }[] = [];
  for (const part of parts) {
    for (let at = part.indexOf(name, 0, 'latin1'); at >= 0; ) {
      positions.push({ part, at });
      at = part.indexOf(name, at + 4, 'latin1');
    }
  }
  return positions;
}

/** Titles and comments, which may contain any word. No parser looks for boxes in them. */
const isText = ({ type }: Box): boolean => /^(\xa9|\0\0\0)/.test(type);

function partsWithoutText(content: Buffer): Buffer[] {
  const { boxes, rest } = boxesIn(content);
  const parts = boxes.flatMap((box) => {
    if (isText(box)) return [];
    if (['trak', 'udta', 'ilst'].includes(box.type)) return partsWithoutText(box.content);
    // A `meta` box of ISO files has a version, one of QuickTime files has none.
    const isVersioned = box.content.length >= 4 && box.content.readUInt32BE(0) === 0;
    if (box.type === 'meta') return partsWithoutText(box.content.subarray(isVersioned ? 4 : 0));
    return [box.whole];
  });
  return [...parts, rest];
}

const childrenOf = (content: Buffer, type: string): Box[] =>
  boxesIn(content).boxes.filter((box) => box.type === type);

/** `rest`: the bytes from the first that begin no whole box. */
function boxesIn(content: Buffer): { readonly boxes: Box[]; readonly rest: Buffer } {
  const boxes: Box[] = [];
  let at = 0;
  while (at + 8 <= content.length) {
    const short = content.readUInt32BE(at);
    const headBytes = short === 1 ? 16 : 8;
    if (at + headBytes > content.length) break;
    const bytes = short === 1 ? Number(content.readBigUInt64BE(at + 8)) : short;
    if (bytes < headBytes || bytes > content.length - at) break;
    const whole = content.subarray(at, at + bytes);
    const type = content.toString('latin1', at + 4, at + 8);
    boxes.push({ type, content: whole.subarray(headBytes), whole });
    at += bytes;
  }
  return { boxes, rest: content.subarray(at) };
}
