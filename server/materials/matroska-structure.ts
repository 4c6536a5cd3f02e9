/**
 * Whether a Matroska or WebM file has its clusters only where the format puts them. Where elements
 * do not fit into each other, FFmpeg searches for the next cluster, and finds those that a parser
 * skips as filler. Linear in the number of elements.
 */
import type { ReadBytes } from './iso-boxes.ts';

const header = '1a45dfa3';
const segment = '18538067';
const cluster = '1f43b675';
/** Children of the segment: seek head, info, tracks, cues, tags, chapters, attachments, filler. */
const segmentChildren = new Set([
  ...[cluster, '114d9b74', '1549a966', '1654ae6b', '1c53bb6b'],
  ...['1254c367', '1043a770', '1941a469', 'ec', 'bf'],
]);
/** Their content is searched, so it is bounded; the index of a video of 30 s has some kilobytes. */
const contentBytesMax = 4 * 1024 ** 2;
const clusterBytes = Buffer.from(cluster, 'hex');
/** A seek head may name the cluster that it leads to. */
const seekIdBytes = Buffer.from('53ab84', 'hex');

type Element = {
  readonly id: string;
  readonly start: number;
  /** Infinite if the file does not say: then it ends where its parent's next child begins. */
  readonly end: number;
};

/** As far as `read` knows the bytes. */
export function isPlainMatroska(read: ReadBytes, bytesTotal: number): boolean {
  const first = elementAt(read, 0, bytesTotal);
  if (first === 'unknown') return true;
  if (first?.id !== header) return false;
  const found = elementAt(read, first.end, bytesTotal);
  if (found === 'unknown') return true;
  if (found?.id !== segment) return false;
  const { start, end } = found;
  if (end !== Number.POSITIVE_INFINITY && end !== bytesTotal) return false;
  let isInCluster = false;
  for (let at = start; at < bytesTotal; ) {
    const element = elementAt(read, at, bytesTotal);
    if (element === 'unknown') return true;
    if (!element) return false;
    const isOuter = segmentChildren.has(element.id);
    // Filler and checksums can be children of a cluster, too.
    if (isOuter && element.id.length === 8) isInCluster = false;
    if (!isOuter && !isInCluster) return false;
    if (element.end === Number.POSITIVE_INFINITY) {
      if (element.id !== cluster) return false;
      isInCluster = true;
      at = element.start;
      continue;
    }
    if (element.end > bytesTotal) return false;
    if (isOuter && element.id !== cluster && hidesCluster(read, element)) return false;
    at = element.end;
  }
  return true;
}

function hidesCluster(read: ReadBytes, { start, end }: Element): boolean {
  if (end - start > contentBytesMax) return true;
  const content = end > start ? read(start, end) : null;
  if (!content) return false;
  for (
    let at = content.indexOf(clusterBytes);
    at >= 0;
    at = content.indexOf(clusterBytes, at + 1)
  ) {
    const isNamed = content.subarray(Math.max(0, at - seekIdBytes.length), at).equals(seekIdBytes);
    if (!isNamed) return true;
  }
  return false;
}

/** Null if no element begins there. RFC 8794, 4: the first bits of a number say how long it is. */
function elementAt(read: ReadBytes, at: number, bytesTotal: number): Element | 'unknown' | null {
  const head = read(at, Math.min(at + 12, bytesTotal));
  if (!head) return 'unknown';
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  const sizeBytes = Math.clz32(head[idBytes] ?? 0) - 23;
  const headBytes = idBytes + sizeBytes;
  if (idBytes > 4 || sizeBytes > 8 || headBytes > head.length) return null;
  let size = head[idBytes]! & (0xff >> sizeBytes);
  let isUnknown = size === 0xff >> sizeBytes;
  for (const byte of head.subarray(idBytes + 1, headBytes)) {
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  const start = at + headBytes;
  return {
    id: head.toString('hex', 0, idBytes),
    start,
    end: isUnknown ? Number.POSITIVE_INFINITY : start + size,
  };
}
