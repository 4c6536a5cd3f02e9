/** Only an index that every player reads alike counts as plain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box } from '../../proof/kit/hostile-file.ts';
import { editList } from '../../proof/kit/hostile-timing.ts';
import { readIsoIndex } from './iso-timing.ts';

const mvhd = box('mvhd', Buffer.from(`${'00'.repeat(12)}000003e8${'00'.repeat(84)}`, 'hex'));
const elst = (...edits: Parameters<typeof editList>[0]) => box('elst', editList(edits));
const once = elst({ seconds: 4 });
const joined = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);
const track = (...parts: readonly Uint8Array[]) => box('trak', joined(...parts));
const edited = (...lists: readonly Uint8Array[]) => track(box('edts', joined(...lists)));
const samples = (count: number) => box('stts', Buffer.from([0, 0, 0, 0, 0, 0, 0, count]));

const long = Buffer.alloc(28);
long.writeUInt8(1);
long.writeUInt32BE(1, 4);
long.writeBigUInt64BE(4_000n, 8);
long.writeUInt32BE(0x10000, 24);

const plain: Readonly<Record<string, readonly [index: Uint8Array, seconds: number]>> = {
  'no edit list': [track(), 0],
  'one edit': [edited(once), 4],
  'one edit in 64 bits': [edited(box('elst', long)), 4],
  'a pause before an edit': [edited(elst({ seconds: 26, from: -1 }, { seconds: 4 })), 30],
  'an edit in each track': [joined(edited(once), edited(elst({ seconds: 7 }))), 7],
  'a title that contains the name of the box': [
    joined(edited(once), box('udta', box('\xa9nam', Buffer.from('ein Einzelstück, Poelstraat')))),
    4,
  ],
  'samples in fragments only': [joined(track(samples(0)), box('mvex', box('trex'))), 0],
  'samples in the index only': [track(samples(1)), 0],
};

const odd: Readonly<Record<string, Uint8Array>> = {
  'two edits': edited(elst({ seconds: 4 }, { seconds: 4 })),
  'another speed': edited(elst({ seconds: 4, rate: 2 })),
  'an edit from before the start': edited(elst({ seconds: 4, from: -2 })),
  'more edits than fit': edited(box('elst', editList([{ seconds: 4 }]).fill(9, 7, 8))),
  'an unknown version': edited(box('elst', editList([{ seconds: 4 }]).fill(2, 0, 1))),
  'a list without content': edited(box('elst')),
  'two lists in a track': edited(once, once),
  'a list outside its place': joined(edited(once), once),
  'a list in the sample table': track(box('mdia', box('stsd', once))),
  'a list among tags': joined(track(), box('udta', box('meta', box('ilst', once)))),
  'a list in a box beyond the end': joined(track(), Buffer.from('\0\0\xff\0edts\0\0\0\x1celst')),
  'a compressed index': joined(track(), box('cmov')),
  'fragments among tags': joined(track(), box('udta', box('meta', box('moof')))),
  'a second index': joined(track(), box('moov')),
  'samples in the index and in fragments': joined(track(samples(1)), box('mvex', box('trex'))),
};

for (const [name, [index, editSeconds]] of Object.entries(plain)) {
  test(`plain: ${name}`, () => {
    const { hasSamples: _, ...timing } = readIsoIndex(joined(mvhd, index));
    assert.deepEqual(timing, { isPlain: true, editSeconds });
  });
}

for (const [name, index] of Object.entries(odd)) {
  test(`not plain: ${name}`, () => {
    assert.equal(readIsoIndex(joined(mvhd, index)).isPlain, false);
  });
}

test('an edit without a time scale is not plain', () => {
  assert.partialDeepStrictEqual(readIsoIndex(edited(once)), { isPlain: false, editSeconds: 0 });
});
