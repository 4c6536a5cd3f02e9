import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleaned, excerptOf } from './text.ts';

test('removes invisible characters, direction overrides and stacked marks', () => {
  const rows = {
    'two\nlines\tand  spaces ': 'two lines and spaces',
    'a\u0007b\u202e\u2066c\u2069': 'a b c',
    'half \ud83c of': 'half of',
    'zero\u200bwidth soft\u00adhyphen \u200d end\ufeff': 'zerowidth softhyphen end',
    'non\u2011breaking\u2010hyphen': 'non-breaking-hyphen',
    [`z${'\u0301'.repeat(500)}algo`]: 'ź\u0301\u0301\u0301\u0301algo',
    'e\u0301te\u0301': 'été',
    '\u3164\u2800': '',
  };
  for (const [text, expected] of Object.entries(rows)) assert.equal(cleaned(text), expected);
});

test('keeps characters that join letters and emoji', () => {
  for (const text of ['کتاب‌ها', 'र्‍क', '🏄‍♀️ ❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '10\u00a0000 « mots »', 'שָׁלוֹם']) {
    assert.equal(cleaned(text), text.normalize('NFC'));
  }
});

test('truncates ten thousand characters', () => {
  for (const prompt of [
    'a word, and another. '.repeat(480),
    'x'.repeat(10_000),
    '海'.repeat(10_000),
  ]) {
    const { text, isTruncated } = excerptOf(prompt);
    assert.ok(prompt.startsWith(text) && text.length <= 400 && isTruncated);
  }
  assert.deepEqual(excerptOf(`  ${'Dawn'.padEnd(9_000)}`), { text: 'Dawn', isTruncated: false });
  assert.equal(excerptOf('👩‍👩‍👧‍👦'.repeat(500)).text, '👩‍👩‍👧‍👦'.repeat(400).slice(0, 1600));
});

test('returns no text when most of it cannot be drawn', () => {
  assert.deepEqual(excerptOf('\u{13000}\u{13001}\u{13002} a'), { text: '', isTruncated: false });
  assert.deepEqual(excerptOf('\u200f'), { text: '', isTruncated: false });
});
