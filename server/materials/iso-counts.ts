/**
 * Whether the samples of an MP4 or MOV file can be counted in a reasonable time. A few bytes can
 * claim billions, and the parser visits each.
 */
import { childrenOf, type ReadBytes, topBoxes } from './iso-boxes.ts';

/** Two minutes of PCM have half as many. */
const chunkSamplesMax = 10_000_000;
/** Of all fragments together; the parser makes an object of each sample. */
const runSamplesMax = 200_000;

/** As far as `read` knows the bytes. */
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
