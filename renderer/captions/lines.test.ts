import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  joinSegments,
  oneLine,
  segmentsOf,
  setLines,
  type TextSegment,
  type TextSpace,
} from './lines.ts';

/** A letter is half an em wide, a Han character one em. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, each) => sum + (/[\u3000-\u9fff\uff00-\uffef]/.test(each) ? 1 : 0.5), 0);

/** Forty letters per line at the largest size, fifty at the next. */
const space: TextSpace = {
  width: 800,
  steps: [
    { pixels: 40, linesMax: 2 },
    { pixels: 32, linesMax: 3 },
  ],
  forExcerpt: { pixels: 32, linesMax: 3 },
};

function set(
  text: string,
  isTruncated = false,
): { readonly lines: string[]; readonly pixels: number } {
  const { lines, pixels } = setLines({ segments: segmentsOf(text), isTruncated }, space, widthOf);
  return { lines: lines.map(joinSegments), pixels };
}

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['Dawn', ['Dawn']],
  ['The feeling of a quiet idea becoming music', ['The feeling of a quiet', 'idea becoming music']],
  [
    'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
    ['A lighthouse on misty cliffs at sunrise,', 'slow dolly in over a calm sea'],
  ],
  [
    'Маяк на туманных скалах у берега в тихом море',
    ['Маяк на туманных скалах', 'у берега в тихом море'],
  ],
  [
    '城市夜景霓虹灯在雨中闪烁，镜头慢慢地推进电影',
    ['城市夜景霓虹灯在雨中闪烁，', '镜头慢慢地推进电影'],
  ],
];

test('breaks lines of similar length, at natural pauses', () => {
  for (const [text, lines] of rows) assert.deepEqual(set(text), { lines, pixels: 40 }, text);
});

test('uses the largest size at which the text fits', () => {
  const hundred = 'many words '.repeat(10).trim();
  assert.equal(set(hundred).pixels, 32);
  assert.equal(set(hundred).lines.join(' '), hundred);
});

test('ends a text that is too long with a whole sentence', () => {
  const sentence = 'The camera goes down past the cranes and comes to rest. ';
  const { lines } = set(sentence + sentence + sentence.repeat(20));
  assert.equal(lines.join(' '), (sentence + sentence).trim());
});

test('or after a word, with an ellipsis', () => {
  const { lines } = set('all of the words of a song '.repeat(40));
  assert.equal(lines.length, 3);
  assert.match(lines.join(' '), /\w{3}…$/, 'neither after a space nor after `of`');
  assert.match(set('one, two, three, '.repeat(40)).lines.join(' '), /\w…$/, 'no comma before it');
  assert.deepEqual(set('The sea', true).lines, ['The sea…'], 'the prompt has more text');
});

test('cuts a single line between characters', () => {
  assert.equal(oneLine('short', 3, widthOf), 'short');
  assert.equal(oneLine('much too long', 3, widthOf), 'much …');
  assert.equal(oneLine('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 4, widthOf), '👩‍👩‍👧‍👦…');
});

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
      assert.equal(joinSegments(segmentsOf(text)), text);
    }
  });
}
