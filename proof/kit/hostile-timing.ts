/** Videos of a few seconds that some players show for longer, by edit lists and fragments. */
import { box, boxAt, filesOf, type HostileFile, patched } from './hostile-file.ts';

const video = filesOf('video');

/** One entry of an edit list. `from` is the time in the media; -1 is a pause. */
type Edit = { readonly seconds: number; readonly from?: number; readonly rate?: number };

export function editList(edits: readonly Edit[], timescale = 1_000): Buffer {
  const list = Buffer.alloc(8 + 12 * edits.length);
  list.writeUInt32BE(edits.length, 4);
  for (const [index, { seconds, from = 0, rate = 1 }] of edits.entries()) {
    const at = 8 + 12 * index;
    list.writeUInt32BE(seconds * timescale, at);
    list.writeInt32BE(from, at + 4);
    list.writeUInt32BE(rate * 0x10000, at + 8);
  }
  return list;
}

/** Replaces the edits of the first track. The index must be behind the media. */
export const withEdits = (mp4: Buffer, edits: readonly Edit[]): Buffer =>
  withInserted(
    withoutEdits(mp4),
    'trak',
    box('edts', box('elst', editList(edits, mp4.readUInt32BE(boxAt(mp4, 'mvhd') + 16)))),
  );

/** Renames the box and the list in it, so that parsers skip them. */
const withoutEdits = (mp4: Buffer): Buffer =>
  patched(mp4, (bytes) => bytes.fill('free', boxAt(bytes, 'edts'), boxAt(bytes, 'edts') + 12));

/** Adds a box at the end of the first box of that name in the index. */
function withInserted(mp4: Buffer, name: 'moov' | 'trak', added: Buffer): Buffer {
  const grown = patched(mp4, (bytes) => {
    for (const parent of new Set(['moov', name])) {
      const at = boxAt(bytes, parent) - 4;
      bytes.writeUInt32BE(bytes.readUInt32BE(at) + added.length, at);
    }
  });
  const start = boxAt(mp4, name) - 4;
  const end = start + mp4.readUInt32BE(start);
  return Buffer.concat([grown.subarray(0, end), added, grown.subarray(end)]);
}

/** A video with an index of its own samples, followed by the fragments of another. */
export function withFragments(mp4: Buffer, fragmented: Buffer): Buffer {
  const at = boxAt(fragmented, 'mvex') - 4;
  const mvex = fragmented.subarray(at, at + fragmented.readUInt32BE(at));
  const fragments = fragmented.subarray(boxAt(fragmented, 'moof') - 4);
  return Buffer.concat([withInserted(mp4, 'moov', mvex), fragments]);
}

/** The first two fragments of a video; the others are in a box of this name, which FFmpeg reads. */
export function withHiddenFragments(fragmented: Buffer, name: string): Buffer {
  const starts = allOf(fragmented, Buffer.from('moof')).map((at) => at - 4);
  const ends = [...starts.slice(1), boxAt(fragmented, 'mfra') - 4];
  const hidden = starts.map((at, index) => box(name, fragmented.subarray(at, ends[index])));
  return Buffer.concat([fragmented.subarray(0, starts[2]), ...hidden.slice(2)]);
}

/** Puts all but two clusters of a live recording into an element that ends after the file. */
export function withHiddenClusters(webm: Buffer): Buffer {
  const third = allOf(webm, Buffer.from('1f43b675', 'hex'))[2]!;
  const filler = Buffer.from('ec0100000010000000', 'hex');
  return Buffer.concat([webm.subarray(0, third), filler, webm.subarray(third)]);
}

function allOf(bytes: Buffer, text: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 4)) found.push(at);
  return found;
}

/** Of a video with audio whose index is at the end, and a fragmented one. */
export function mistimedVideos(mp4: Buffer, fragmented: Buffer): HostileFile[] {
  const repeated = withEdits(mp4, Array(8).fill({ seconds: 4 }));
  const delayed = withEdits(mp4, [{ seconds: 26, from: -1 }, { seconds: 5 }]);
  return [
    { ...video('mp4, an edit list that repeats it', repeated, 'unpriced'), seconds: 32 },
    { ...video('mp4, video 26 s after its audio', delayed, 'measured'), seconds: 31.2 },
    video(
      'mp4, an edit of half the speed',
      withEdits(mp4, [{ seconds: 9, rate: 0.5 }]),
      'unpriced',
    ),
    video('mp4, fragments after its samples', withFragments(mp4, fragmented), 'unpriced'),
  ];
}
