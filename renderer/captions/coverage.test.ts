import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { prompts } from '../testing/scripts.ts';
import { cover, typefaceFor, withoutMissing } from './coverage.ts';

/** Draws in the typeface of the text, white on black. */
function pictureOf(character: string, text: string): Buffer {
  const context = createCanvas(90, 60).getContext('2d');
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.fillStyle = '#fff';
  const place = { x: 20, baseline: 44, pixels: 30 };
  typefaceFor(text).draw(context, character, place);
  return Buffer.from(context.canvas.data());
}

const graphemesOf = (text: string): Set<string> =>
  new Set([...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment));

for (const [script, prompt] of Object.entries(prompts)) {
  test(`draws every character of ${script} in bundled fonts`, () => {
    const { families, missing } = cover(prompt);
    assert.deepEqual([...missing], []);
    for (const family of families) assert.match(family, /^(inter|noto)-[a-z0-9-]+$/);
    const box = pictureOf('\u{10ffff}', prompt);
    const blank = pictureOf(' ', prompt);
    assert.ok(!box.equals(blank), 'a missing character shows as a box');
    for (const grapheme of graphemesOf(prompt)) {
      const picture = pictureOf(grapheme, prompt);
      assert.ok(!picture.equals(box), `${grapheme} is a box`);
      if (/\S/u.test(grapheme)) assert.ok(!picture.equals(blank), `${grapheme} is nothing`);
    }
    assert.equal(withoutMissing(prompt), prompt);
  });
}

test('opens only the files that a text needs', () => {
  const rows = {
    'A lighthouse, at 25 % — “slowly”…': ['inter-latin-600'],
    Москва: ['inter-latin-600', 'inter-cyrillic-600'].toSorted(),
    'नमस्ते।': ['inter-latin-600', 'noto-sans-devanagari-devanagari-600'],
    '🌊': ['inter-latin-600', 'noto-color-emoji'],
  };
  for (const [text, expected] of Object.entries(rows)) {
    assert.deepEqual(cover(text).families.toSorted(), expected.toSorted(), text);
  }
});

test('takes Han characters from the font for the region of the text', () => {
  const regionOf = (text: string): string | undefined =>
    cover(text)
      .families.find((family) => /-(sc|jp|kr)-/.test(family))
      ?.match(/-(sc|jp|kr)-/)?.[1];
  assert.equal(regionOf('直角的雪山'), 'sc');
  assert.equal(regionOf('直角の雪山'), 'jp');
  assert.equal(regionOf('雪山 설산'), 'kr');
  // This character differs between China and Japan.
  assert.ok(!pictureOf('直', '直角的').equals(pictureOf('直', '直角の')));
});

test('removes characters without a glyph, and replaces styled letters by plain ones', () => {
  assert.equal(withoutMissing('left \u{10fffe} right'), 'left right');
  assert.equal(withoutMissing('𝓗𝓮𝓵𝓵𝓸 𝐁𝐨𝐥𝐝 ⅓'), 'Hello Bold 1⁄3');
});
