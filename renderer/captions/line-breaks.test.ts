import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphemesOf, segmentsOf, type TextSegment, textOf } from './line-breaks.ts';

/** Spaces stay; other break opportunities are shown as `|`. */
const marked = (segments: readonly TextSegment[]): string =>
  segments
    .map((segment, at) => (segment.isSpaced ? ' ' : at > 0 ? '|' : '') + segment.text)
    .join('');

const tables: Record<string, readonly string[]> = {
  'spaced scripts at spaces, and after a dash between words': [
    'A lighthouse on misty cliffs',
    'slow-|motion of an x-ray at 16:9 --fast',
    'sunrise—|slow, and/|or not',
    'Маяк на скалах',
    'Ngọn hải đăng',
    '안개 낀 절벽 위의 등대',
    'सूर्योदय पर धुंध',
    'مدينة ساحلية عند الغروب',
    '@Image 1 walks [test:slow]',
  ],
  'Chinese between words': ['城市|夜景，|霓虹灯|在|雨中|闪烁', '推进——|电影|感……'],
  'Japanese after a word with its endings': [
    '雪山の|谷、|夕暮れ。|静かな|海を|見つめている|灯台',
    'ティッシュや|チョコレート',
    'あさのひかりが|きれいなうみに|きらきらとひかる',
  ],
  'Thai and Khmer by a dictionary': ['ประภาคาร|บน|หน้าผา|หมอก ค่อยๆ', 'ប៉ម|ភ្លើង|ហ្វារ'],
  'emoji one by one, and never inside one': ['🏄‍♀️|🎉|👩‍👩‍👧‍👦|🇺🇳 sea|🌊|wave'],
  'never before a closing sign or after an opening one': [
    '他|说：|“你好！”|然后|走了',
    '「静かな|海」と|『山』|（春）。',
    '看"東京"吧',
    '約|100円で|$5',
  ],
  'a number with what it counts': ['2024年|3月'],
};

for (const [rule, rows] of Object.entries(tables)) {
  test(`breaks ${rule}`, () => {
    for (const row of rows) {
      const text = row.replaceAll('|', '');
      assert.equal(marked(segmentsOf(text)), row);
      assert.equal(textOf(segmentsOf(text)), text);
    }
  });
}

test('splits a long segment between characters, never inside one', () => {
  const [segment] = segmentsOf('e\u0301👩‍👩‍👧‍👦क्षि');
  const [first, ...others] = graphemesOf({ ...segment!, text: 'e\u0301👩‍👩‍👧‍👦क्षि' });
  assert.deepEqual(
    [first!.text, ...others.map(({ text }) => text)],
    ['e\u0301', '👩‍👩‍👧‍👦', 'क्षि'],
  );
  assert.ok(others.every(({ isJoined }) => isJoined));
});
