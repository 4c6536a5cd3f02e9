/**
 * What an MP4 or MOV file says about time beyond the samples of its index: edit lists (ISO
 * 14496-12, 8.6.6), fragments after a sample table, and fragments or indexes in boxes that have
 * none. Players differ in what they make of them, so only plain files are trusted. Linear in the
 * bytes of the index.
 */
import {
  type Box,
  boxesIn,
  childrenOf,
  type ReadBytes,
  type TopBox,
  topBoxes,
} from './iso-boxes.ts';

export type IsoTiming = {
  /** False if players can show more than the samples of the index, once and at their own speed. */
  readonly isPlain: boolean;
  /** The longest edit list, with its pauses; 0 without one. */
  readonly editSeconds: number;
};

/** Boxes of a file in which no player looks for others. */
const opaqueBoxes = new Set([
  ...['ftyp', 'styp', 'mdat', 'free', 'skip', 'wide', 'uuid', 'pdin'],
  ...['sidx', 'ssix', 'mfra', 'emsg', 'prft'],
]);
/** Boxes that add samples or time wherever FFmpeg finds them; it looks into many others. */
const indexBoxes = [
  ...['moov', 'moof', 'mdat', 'trak', 'traf', 'tfhd', 'trun', 'trex'],
  ...['stts', 'ctts', 'stsc', 'stsz', 'stco', 'co64', 'elst', 'cmov'],
];
/** Those that have no place in an index. */
const misplacedInIndex = ['moov', 'moof', 'mdat', 'traf', 'tfhd', 'trun', 'cmov'];
const fragmentBoxes = ['traf', 'tfhd', 'trun'];
/** Of a box that is neither of the index nor opaque. */
const otherBytesMax = 1024 ** 2;

const unclear: IsoTiming = { isPlain: false, editSeconds: 0 };

/** As far as `read` knows the bytes. Not plain if the index is not found. */
export function readIsoFile(read: ReadBytes, bytesTotal: number): IsoTiming {
  let index: (IsoTiming & { readonly hasSamples: boolean }) | null = null;
  let [isPlain, hasFragments] = [true, false];
  for (const box of topBoxes(read, bytesTotal)) {
    // The last box may be cut off.
    if (!box) return { isPlain: false, editSeconds: index?.editSeconds ?? 0 };
    const { type } = box;
    if (type === 'moov') {
      const known = index ? null : box.read();
      if (!known) return unclear;
      index = readIsoIndex(known);
    } else if (!opaqueBoxes.has(type)) {
      hasFragments ||= type === 'moof';
      isPlain &&= type === 'moof' ? isPlainFragment(box.read()) : isOther(box);
    }
  }
  if (!index) return unclear;
  const { editSeconds, hasSamples } = index;
  return { isPlain: isPlain && index.isPlain && !(hasFragments && hasSamples), editSeconds };
}

/** A fragment has its runs of samples in their places, and nothing of an index. */
function isPlainFragment(content: Buffer | null): boolean {
  if (!content) return true;
  const tracks = childrenOf(content, 'traf');
  const placed = (name: string) =>
    name === 'traf'
      ? tracks.length
      : tracks.flatMap((track) => childrenOf(track.content, name)).length;
  return indexBoxes.every(
    (name) =>
      positionsOf([content], name).length === (fragmentBoxes.includes(name) ? placed(name) : 0),
  );
}

function isOther({ type, bytes, read }: TopBox): boolean {
  if (indexBoxes.includes(type) || bytes > otherBytesMax) return false;
  const known = read();
  return !known || indexBoxes.every((name) => positionsOf([known], name).length === 0);
}

/** `index` is the content of the `moov` box. */
export function readIsoIndex(index: Uint8Array): IsoTiming & { readonly hasSamples: boolean } {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length);
  const tracks = childrenOf(bytes, 'trak').map(({ content }) =>
    childrenOf(content, 'edts').flatMap((edits) => childrenOf(edits.content, 'elst')),
  );
  const timescale = timescaleOf(bytes);
  const lists = tracks.flat().map(({ content }) => readEditList(content));
  const parts = partsWithoutText(bytes);
  const count = (name: string) => positionsOf(parts, name).length;
  const hasSamples = hasSampleTable(parts);
  const isPlain =
    // FFmpeg accepts an edit list anywhere, and applies the last one of a track.
    tracks.every(({ length }) => length <= 1) &&
    count('elst') === lists.length &&
    lists.every((list) => list.isPlain && (timescale > 0 || list.duration === 0)) &&
    // FFmpeg reads fragments here, and another index can replace this one.
    misplacedInIndex.every((name) => count(name) === 0) &&
    (count('trex') === 0 || !hasSamples);
  const durations = lists.map(({ duration }) => (timescale > 0 ? duration / timescale : 0));
  const editSeconds = durations.reduce((one, other) => Math.max(one, other), 0);
  return { isPlain, editSeconds, hasSamples };
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
